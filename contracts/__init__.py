"""What a table promises, the tables of the workbench with their columns, and errors that their reader can mend."""
