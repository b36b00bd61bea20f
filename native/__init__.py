"""What is compiled for Python: reading captures and logs, features of windows, dynamic time warping.

`make setup` and a wheel put the modules here. Each has a folder with its sources.
"""
