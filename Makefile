# Every step that a fresh machine with Rust, Python 3.10+ and Node 20+ needs is part of these commands. All of them may be run again.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
ENV := source tools/env.sh

.PHONY: help build demo test test-rust test-python test-node test-swift xcframework conformance interop faults bench bench-quick fuzz lint docs generate clean

help:
	@echo "make demo [DB=path]   a real MCP server on the engine, driven by the project's own client"
	echo "make test             every test; conformance, interop and faults are parts of it"
	echo "make build            release builds of all languages"
	echo "make bench            this project and its peers, side by side, as ratios"
	echo "make fuzz [SECONDS_EACH=n] the fuzz targets, each for that long"
	echo "make lint             formatting, lints, types, licences"
	echo "make generate         the typed models, from the specification's schemas, and the boundary to Swift"
	echo "make xcframework      the engine for iOS and macOS, on a Mac"
	echo "make docs             the API documentation of the Node and Swift packages, in HTML"
	echo "make clean            removes what was built"

build:
	@$(ENV)
	cargo build --locked --release --workspace --exclude omniport-python
	mkdir -p "$$OMNIPORT_BIN"
	for program in omniport-bench-load omniport-bench-server omniport-bench-client omniport-conformance omniport-drive omniport-interop; do
		# A new file in the place of the old one: a server that runs keeps its own.
		cp "$$CARGO_TARGET_DIR/release/$$program" "$$OMNIPORT_BIN/$$program.new"
		mv "$$OMNIPORT_BIN/$$program.new" "$$OMNIPORT_BIN/$$program"
	done
	tools/setup-python
	tools/setup-node-package
	tools/setup-swift || [ $$? = 77 ]

demo:
	@$(ENV)
	tools/setup-python
	# The oldest Node that the package is for; without one there is the session in Python alone.
	client=
	if command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null; then
		tools/setup-node-package
		client="$$OMNIPORT_NODE/programs/bindings-node/examples/demo.js"
	fi
	database="$(DB)"
	if [ -z "$$database" ]; then
		database="$$(mktemp -d)/bookshop.db"
		trap 'rm -r "$$(dirname "$$database")"' EXIT
		"$$OMNIPORT_VENV/bin/python" examples/python/make_sample_db.py "$$database" >/dev/null
	fi
	"$$OMNIPORT_VENV/bin/python" examples/python/demo.py --db "$$database"
	if [ -n "$$client" ]; then
		node "$$client" "$$database" "$$OMNIPORT_VENV/bin/python" examples/python/sqlite_server.py
	else
		echo "Node 20 or newer is not here: its client drives no session."
	fi

test: lint test-rust test-python test-node test-swift conformance interop faults bench-quick
	@echo "All tests passed."

test-rust:
	@$(ENV)
	cargo test --locked --quiet --workspace --exclude omniport-python
	cargo test --locked --quiet --package omniport --no-default-features --lib
	tools/generate/run --check

# Node for the example that is written twice, in Python and in TypeScript.
test-python:
	@$(ENV)
	tools/setup-python
	tools/setup-node
	tools/setup-node-package
	# From another folder, so that the installed wheel is tested and not the source tree.
	cd "$$OMNIPORT_CACHE" && "$$OMNIPORT_VENV/bin/python" -m pytest --rootdir "$$OMNIPORT_ROOT" -c "$$OMNIPORT_ROOT/pyproject.toml" -m "not swift" "$$OMNIPORT_ROOT/bindings-python/tests" "$$OMNIPORT_ROOT/tests/demo"

# The compiled tests against the installed package, by the oldest Node that is supported (the machine's) and by a newer one. The time is
# for a file: one that hangs ends with its name said.
test-node:
	@$(ENV)
	tools/setup-node
	tools/setup-node-package
	mapfile -t tests < <(find "$$OMNIPORT_NODE/programs/bindings-node" -name '*.test.js' | sort)
	cd "$$OMNIPORT_NODE"
	for node in node "$$OMNIPORT_NODE22"; do
		"$$node" --test --test-timeout=600000 $(if $(FILTER),--test-name-pattern="$(FILTER)") "$${tests[@]}"
	done

# Warnings are errors. Once more with the thread sanitizer, which sees the races of what Swift compiled. Then what is documented; and Python
# runs the vectors and drives the examples, as those of the other languages.
test-swift:
	@$(ENV)
	if tools/setup-swift; then
		tools/setup-python
		tools/swift test --scratch-path "$$OMNIPORT_SWIFT" $(if $(FILTER),--filter "$(FILTER)")
		TSAN_OPTIONS="suppressions=$$OMNIPORT_ROOT/tools/tsan.supp" tools/swift test --scratch-path "$$OMNIPORT_SWIFT-tsan" --sanitize thread $(if $(FILTER),--filter "$(FILTER)")
		tools/docs-swift/run --check
		"$$OMNIPORT_VENV/bin/python" -m pytest -m swift tests/demo
		tests/vectors/run swift
	else
		[ $$? = 77 ]
	fi

# The binary that Package.swift names on Apple's platforms. Needs a Mac with Xcode and the targets of rustup.
xcframework:
	@$(ENV)
	tools/xcframework

conformance: build
	@$(ENV)
	tools/setup-node
	tests/conformance/run

interop: build
	@$(ENV)
	tools/setup-node
	tests/interop/run

# Clients of every language against servers that misbehave.
faults: build
	@$(ENV)
	tests/faults/run

bench: build
	@$(ENV)
	tests/bench/run $(FILTER)

# Are the bench's answers right? This project only, nothing is compared and no time is judged.
bench-quick: build
	@$(ENV)
	tests/bench/run --quick

fuzz:
	@$(ENV)
	tools/fuzz $(or $(SECONDS_EACH),60)

lint:
	@$(ENV)
	cargo fmt --all --check
	cargo clippy --locked --quiet --workspace --all-targets -- --deny warnings
	cargo clippy --locked --quiet --package omniport --no-default-features -- --deny warnings
	# As on iOS, where no program may start another one.
	RUSTFLAGS="--cfg omniport_no_children" cargo check --locked --quiet --package omniport-swift --target-dir "$$CARGO_TARGET_DIR/no-children"
	tools/deny
	tools/setup-python
	"$$OMNIPORT_VENV/bin/ruff" check bindings-python examples tests
	"$$OMNIPORT_VENV/bin/ruff" format --check bindings-python examples tests
	"$$OMNIPORT_VENV/bin/pyright" --project pyproject.toml --pythonpath "$$OMNIPORT_VENV/bin/python"
	tools/setup-node-package
	"$$OMNIPORT_NODE/node_modules/.bin/biome" check --error-on-warnings
	# Setting up compiled all of it by the newest TypeScript; what users may still have has to take it, too.
	node "$$OMNIPORT_NODE/node_modules/typescript-5/bin/tsc" --noEmit -p "$$OMNIPORT_NODE/package/bindings-node"
	node "$$OMNIPORT_NODE/node_modules/typescript-5/bin/tsc" --noEmit -p "$$OMNIPORT_NODE/programs"
	tools/docs-node/run --check

docs:
	@$(ENV)
	tools/setup-node-package
	tools/docs-node/run
	tools/docs-swift/run || [ $$? = 77 ]

generate:
	@$(ENV)
	tools/generate/run

clean:
	@$(ENV)
	cargo clean --quiet
	rm -rf "$$OMNIPORT_VENV" "$$OMNIPORT_BIN" "$$OMNIPORT_CACHE/wheels-$$OMNIPORT_KEY" "$$OMNIPORT_NODE" "$$OMNIPORT_SWIFT" "$$OMNIPORT_SWIFT-tsan" "$$OMNIPORT_CACHE/docs" "$$OMNIPORT_CACHE/stamps"
	rm -rf bindings-swift/OmniportFFI.xcframework
