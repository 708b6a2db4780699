# cx: six tools, one Makefile, no configure.
#
#   make            build bin/cx-*           make demo    install what is
#   make check      what a change must pass               missing, build, run
#   make install    PREFIX, DESTDIR honoured make help    all targets
#
# Objects go to $(B), so that sanitizer and sabotage builds never touch bin/.

MAKEFLAGS += --no-builtin-rules
SHELL := /bin/bash
B ?= .build
BIN ?= bin
PREFIX ?= /usr/local
DESTDIR ?=
VERSION := 0.1.0
ifeq ($(origin CC),default)
CC := gcc
endif
export SOURCE_DATE_EPOCH

TOOLS := $(patsubst src/tool/%.c,%,$(wildcard src/tool/cx-*.c))
LAYERS := base data model sys store box wire plane seal stage build run \
          gateway audit cli
SRC := $(foreach layer,$(LAYERS),$(wildcard src/$(layer)/*.c))
OBJ := $(SRC:src/%.c=$(B)/%.o)

IS_CLANG := $(shell $(CC) --version 2>/dev/null | grep -c clang)
WARN := -Wall -Wextra -Wconversion -Wshadow -Wvla -Wcast-qual -Wformat=2 \
        -Wstrict-prototypes -Wmissing-prototypes -Wswitch-enum \
        -Wnull-dereference -Wundef -Wwrite-strings -Wpointer-arith \
        -Wold-style-definition -Wredundant-decls -Wimplicit-fallthrough -Werror
HARDEN := -fstack-protector-strong -fstack-clash-protection \
          -fcf-protection=full -fno-strict-overflow \
          -fno-delete-null-pointer-checks
ifeq ($(IS_CLANG),0)
HARDEN += -ftrivial-auto-var-init=zero
WARN += -Wlogical-op -Wduplicated-cond -Wduplicated-branches \
        -Wcast-align=strict -Wstack-usage=131072 -Walloca
else
WARN += -Wno-gnu-zero-variadic-macro-arguments
endif
OPT ?= -O2
FORTIFY ?= -D_FORTIFY_SOURCE=3
CFLAGS_ALL := -std=gnu17 $(OPT) -g $(FORTIFY) $(HARDEN) $(WARN) -fPIE \
              -ffunction-sections -fdata-sections -fvisibility=hidden \
              -ffile-prefix-map=$(CURDIR)=. -DCX_VERSION='"$(VERSION)"' \
              -iquote src -I$(B) -include src/base/banned.h $(CFLAGS)
LDFLAGS_ALL := -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack \
               -Wl,-z,separate-code -Wl,--as-needed -Wl,--gc-sections \
               $(LDFLAGS)

# libcrypto is linked statically where start-up counts (see src/data/digest.h).
LIBS_cx-seal := -l:libjansson.a -l:libyaml.a -l:libcrypto.a -l:libsqlite3.a -lm
LIBS_cx-run := $(LIBS_cx-seal)
LIBS_cx-audit := $(LIBS_cx-seal)
LIBS_cx-build := $(LIBS_cx-seal) -larchive
LIBS_cx-stage := $(LIBS_cx-seal)
LIBS_cx-gateway := $(LIBS_cx-seal)

.PHONY: all
all: $(B)/libcx.a $(TOOLS:%=$(BIN)/%)

$(BIN)/%: $(B)/tool/%.o $(B)/libcx.a
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< $(B)/libcx.a $(LIBS_$*)

$(B)/libcx.a: $(OBJ)
	@rm -f $@
	@ar rcs $@ $^

$(B)/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

.SECONDARY:
-include $(OBJ:.o=.d) $(TOOLS:%=$(B)/tool/%.d)

# Unit tests: test/unit/<layer>-<file>.c, cmocka, one program each.
UNIT := $(patsubst test/unit/%.c,$(B)/unit/%,$(wildcard test/unit/*.c))

$(B)/unit/%: test/unit/%.c $(B)/libcx.a
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -Wno-missing-prototypes $(LDFLAGS_ALL) -MMD -MP \
	  -o $@ $< $(B)/libcx.a $(LIBS_cx-build) -lcmocka
-include $(UNIT:=.d)

.PHONY: unit
unit: $(UNIT)
	@set -e; for t in $(UNIT); do $$t; done

# Each area keeps its own rules in test/*.mk and src/*/*.mk, included here.
include $(wildcard src/*/*.mk test/*.mk)

.PHONY: clean
clean:
	rm -rf $(B) .build-* $(TOOLS:%=$(BIN)/%)
