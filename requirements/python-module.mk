# SPDX-License-Identifier: MIT
#
# How a folder of C++ at the top of the repository becomes a module of Python. Its Makefile sets
#   HERE          the folder
#   ROOM, MODULE_NAME  the folder's name, the module's
#   CXXFLAGS      more of them
#   MORE_OBJECTS  of other folders' sources; it says how to make them, too
# and includes this.

ifndef PREFIX
$(error PREFIX is not set: give the directory of the virtual environment)
endif
ifneq ($(words $(PREFIX)),1)
$(error PREFIX has a space, which make cannot handle: give it relative to this folder)
endif

# No path is made absolute: one with a space would be several to make.
BUILD ?= $(HERE)../build/$(ROOM)
PYTHON := $(PREFIX)/bin/python
SITE_PACKAGES := $(wildcard $(PREFIX)/lib/python3.*/site-packages)
SUFFIX = $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
PYTHON_INCLUDE = $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))')
TARGET ?= $(SITE_PACKAGES)
MODULE = $(TARGET)/$(MODULE_NAME)$(SUFFIX)
BUILT_BY := $(HERE)Makefile $(HERE)../requirements/python-module.mk $(HERE)../requirements/packets.txt

CXX ?= g++
CXXFLAGS ?= -O3
override CXXFLAGS += -std=c++20 -fPIC -fvisibility=hidden -Wall -Wextra -Werror -MMD -MP
override CPPFLAGS += -isystem $(SITE_PACKAGES)/pybind11/include -isystem "$(PYTHON_INCLUDE)"

OBJECTS := $(patsubst $(HERE)src/%.cc,$(BUILD)/%.o,$(wildcard $(HERE)src/*.cc))

.PHONY: all clean

all: $(MODULE)

$(BUILD)/%.o: $(HERE)src/%.cc $(BUILT_BY)
	@mkdir -p $(@D)
	$(CXX) $(CPPFLAGS) $(CXXFLAGS) -c $< -o $@

$(MODULE): $(OBJECTS) $(MORE_OBJECTS)
	$(CXX) $(CXXFLAGS) $(LDFLAGS) -shared $^ -o $@.part
	mv $@.part $@

clean:
	rm -rf $(BUILD)

-include $(OBJECTS:.o=.d) $(MORE_OBJECTS:.o=.d)
