# Shortcuts for people; what they call (scripts/, CMakePresets.json) can be called without make.
.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

# Given to every configuration, e.g. make test CMAKE_ARGUMENTS=-DBRAID_WERROR=ON
CMAKE_ARGUMENTS ?=
# Given to bench/compare.py, e.g. make bench BENCH_ARGUMENTS="--json figures.json"
BENCH_ARGUMENTS ?=

step := ./scripts/step.sh
jobs = $(shell ./scripts/jobs.sh)

# configure and build: $(call build,PRESET) or $(call build,PRESET,--target NAME)
define build
@$(step) "configure ($(1))" cmake --preset $(1) $(CMAKE_ARGUMENTS)
@$(step) "build ($(1))" cmake --build --preset $(1) --parallel $(jobs) $(2)
endef

# the command and the benchmark programs: $(call build_bench,PRESET)
define build_bench
@$(step) "setup" ./scripts/setup.sh build bench
@$(step) "configure ($(1))" cmake --preset $(1) -DBRAID_BUILD_BENCH=ON $(CMAKE_ARGUMENTS)
@$(step) "build ($(1))" cmake --build --preset $(1) --parallel $(jobs) --target engine/all bench/all
endef

sources = find include state engine tests bench examples -name '*.h' -o -name '*.cc' -o -name '*.cpp'

.PHONY: help setup build demo test test-all soak fuzz bench bench-smoke bench-peers format lint clean

help:  ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

setup:  ## Install the Debian packages that are missing
	@$(step) "setup" ./scripts/setup.sh

build: setup  ## Build the release's command, library and examples
	$(call build,release,--target engine/all examples/all)

demo: build  ## Build it and join New York's flights with the weather
	@$(step) "demo" ./scripts/demo.sh

test: setup  ## Build optimised with assertions and run the tests (no browser)
	$(call build,relassert)
	@$(step) "test (relassert)" ./scripts/test.sh relassert

test-all: test  ## The same, then those that need a browser, a try of the benchmarks, then the tests under the thread, address and undefined-behaviour sanitizers
	@$(step) "setup" ./scripts/setup.sh browser
	@$(step) "test (browser)" ./scripts/test.sh browser
	@$(MAKE) bench-smoke
	$(call build,tsan)
	@$(step) "test (tsan)" ./scripts/test.sh tsan
	$(call build,dev)
	@$(step) "test (dev)" ./scripts/test.sh dev

soak: setup  ## Kill jobs 2,000 times at random moments, and at ten times as many writes as make test does
	$(call build,relassert,--target braid_crash_test)
	@$(step) "soak" env BRAID_SOAK=10 ./scripts/test.sh relassert -R '^Kinds/(RandomKill|FailPoint)Test\.'

fuzz:  ## Build the fuzzers with sanitizers and run each for FUZZ_SECONDS (300)
	@$(step) "setup" ./scripts/setup.sh build fuzz
	@$(step) "configure (fuzz)" cmake --preset fuzz $(CMAKE_ARGUMENTS)
	@$(step) "build (fuzz)" cmake --build --preset fuzz --parallel $(jobs)
	@$(step) "fuzz" ./scripts/fuzz.sh

bench:  ## Measure it beside DuckDB and DataFusion, and its parts (BENCH_ARGUMENTS="--json FILE --only NAME")
	$(call build_bench,release)
	@$(step) "bench" ./scripts/bench.sh $(BENCH_ARGUMENTS)

bench-smoke:  ## Try every benchmark with few rows, with the build of make test: counts are judged, times are not
	$(call build_bench,relassert)
	@$(step) "bench-smoke" ./scripts/bench.sh --smoke --build build/relassert

bench-peers:  ## Measure it beside Flink, Spark and Pathway (needs Java; FLINK_PYTHON and so on name ones that are there)
	$(call build_bench,release)
	@$(step) "bench-peers" ./scripts/bench.sh --only peers $(BENCH_ARGUMENTS)

format:  ## Format the sources in place
	@$(step) "setup" ./scripts/setup.sh lint
	@$(step) "format" sh -c "$(sources) | xargs clang-format-14 -i"

lint:  ## Check the format and run clang-tidy
	@$(step) "setup" ./scripts/setup.sh build lint
	@$(step) "check the format" sh -c "$(sources) | xargs clang-format-14 --dry-run --Werror"
	$(call build,relassert)
	@$(step) "clang-tidy" ./scripts/clang_tidy.sh build/relassert

clean:  ## Remove everything that was built
	rm -rf build
