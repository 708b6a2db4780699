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
# An empty one would be no date, to dpkg-deb for one.
ifneq ($(SOURCE_DATE_EPOCH),)
export SOURCE_DATE_EPOCH
endif

TOOLS := $(patsubst src/tool/%.c,%,$(wildcard src/tool/cx-*.c))
LAYERS := base data model sys store box wire plane seal stage build run \
          gateway audit cli
SRC := $(foreach layer,$(LAYERS),$(wildcard src/$(layer)/*.c)) \
       $(filter-out src/tool/cx-%,$(wildcard src/tool/*.c))
OBJ := $(SRC:src/%.c=$(B)/%.o)

IS_CLANG := $(shell { $(CC) --version; } 2>/dev/null | grep -c clang)
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

# Tools that start for every command are linked statically, as position
# independent as the others: the dynamic loader's work would be a tenth of a
# whole sandbox. What warns of that (users known to other services than
# /etc/passwd, SQLite's extensions) is needed by none of them: a user may be
# given by number. Sanitizers need the loader: STATIC= turns it off.
START ?= $(B)/start.o
STATIC ?= -static-pie -Wl,--no-warnings $(START)
LINK_cx-seal = $(STATIC)
LINK_cx-run = $(STATIC)
LINK_cx-audit = $(STATIC)
LINK_cx-gateway = $(STATIC)
LINK = $(if $(LINK_$*),$(filter-out -pie,$(LDFLAGS_ALL)) $(LINK_$*),\
         $(LDFLAGS_ALL))
LIBS_cx-seal := -l:libjansson.a -l:libyaml.a -l:libcrypto.a -l:libsqlite3.a -lm
LIBS_cx-run := $(LIBS_cx-seal)
LIBS_cx-audit := $(LIBS_cx-seal)
# libarchive's own library would bring libxml2 and ICU: 8 ms at each start.
LIBS_cx-build := $(LIBS_cx-seal) -l:libarchive.a -l:libzstd.a -l:libz.a
LIBS_cx-stage := $(LIBS_cx-seal)
LIBS_cx-gateway := $(LIBS_cx-seal) -l:libpsl.a -l:libidn2.a \
                   -l:libunistring.a -l:libcares.a

.PHONY: all
all: $(B)/libcx.a $(TOOLS:%=$(BIN)/%)

$(BIN)/%: $(B)/tool/%.o $(B)/libcx.a | $(START)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) $(CFLAGS_ALL) $(LINK) -o $@ $< $(B)/libcx.a $(LIBS_$*)

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
	  -o $@ $< $(B)/libcx.a $(LIBS_cx-build) -lpsl -lidn2 -lcares -lcmocka
-include $(UNIT:=.d)

# Each area keeps its own rules in test/*.mk and src/*/*.mk, included here.
include $(wildcard src/*/*.mk test/*.mk)

## demo: install what is missing, build, make a base image once, show it work
.PHONY: demo
demo:
	@share/setup/install build run demo
	@$(MAKE) -s -j2 all
	@share/examples/demo/run $(BIN) $(B)/demo

## install: the tools, their pages and data below PREFIX (DESTDIR honoured)
.PHONY: install uninstall
AT := $(DESTDIR)$(PREFIX)
SHARE := l0 schema seccomp profile templates translate iana examples licenses
install: all
	install -d $(AT)/bin $(addprefix $(AT)/share/man/man,1 5 7) \
	  $(AT)/share/bash-completion/completions \
	  $(AT)/share/zsh/site-functions $(AT)/share/cx
	install -m 755 bin/cx $(TOOLS:%=$(BIN)/%) $(AT)/bin
	install -m 644 $(wildcard man/*.1) $(AT)/share/man/man1
	install -m 644 $(wildcard man/*.5) $(AT)/share/man/man5
	install -m 644 $(wildcard man/*.7) $(AT)/share/man/man7
	install -m 644 completions/bash/cx* \
	  $(AT)/share/bash-completion/completions
	install -m 644 completions/zsh/_cx* $(AT)/share/zsh/site-functions
	cp -R --no-preserve=ownership $(wildcard $(SHARE:%=share/%)) \
	  $(AT)/share/cx

## uninstall: remove what install put there
uninstall:
	rm -f $(AT)/bin/cx $(TOOLS:%=$(AT)/bin/%) \
	  $(patsubst man/%,$(AT)/share/man/man1/%,$(wildcard man/*.1)) \
	  $(patsubst man/%,$(AT)/share/man/man5/%,$(wildcard man/*.5)) \
	  $(patsubst man/%,$(AT)/share/man/man7/%,$(wildcard man/*.7)) \
	  $(addprefix $(AT)/share/bash-completion/completions/,cx $(TOOLS)) \
	  $(addprefix $(AT)/share/zsh/site-functions/_,cx $(TOOLS))
	rm -rf $(AT)/share/cx

## dist: cx-VERSION.tar.gz of what is committed, the same bytes each time
.PHONY: dist
dist:
	git archive --format=tar --prefix=cx-$(VERSION)/ HEAD | \
	  gzip -n -9 >cx-$(VERSION).tar.gz

## clean: remove all that was built; the demo's base image too
.PHONY: clean
clean:
	rm -rf $(B) .build-* $(TOOLS:%=$(BIN)/%)
