# `make run` and `make test` are all that a new machine needs; the rest is for convenience.
# What is missing is installed by ./setup, which says what it does and does nothing when there is nothing to do.

# Where npm and `cargo install` put the tools, whether or not the shell looks there.
export PATH := $(CURDIR)/end2end/node_modules/.bin:$(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(PATH)

# What people get: optimised and compressed. It stands beside its program, so that neither it nor the site of a
# development build overwrites the other.
RELEASE := LEPTOS_SITE_ROOT=target/release/site LEPTOS_HASH_FILE_NAME=site/hash.txt \
	cargo leptos build --release --precompress

.PHONY: run release test weight lighthouse bench soak watch fmt clean

run: ## Build everything and serve http://127.0.0.1:3000 with the database data/recharge.db
	@./setup build
	cargo leptos build
	@echo "Recharge is built. Press Ctrl-C to stop it."
	./target/debug/recharge serve

release: ## Build target/release/recharge and target/release/site, to be used in earnest
	@./setup build release
	$(RELEASE)

test: ## Run all tests: format, lints, Rust tests, browser tests
	@./setup build test
	cargo fmt --all --check
	cargo clippy --all-targets -- -D warnings
	cargo clippy -p frontend --target wasm32-unknown-unknown -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --document-private-items
	./with-databases cargo test
	$(RELEASE) --frontend-only
	node end2end/weight.js
	cd end2end && npx playwright test

weight: ## Weigh what the browser has to fetch, and list what the WASM is made of
	@./setup build release
	$(RELEASE) --frontend-only
	node end2end/weight-by-crate.js
	node end2end/weight.js

lighthouse: ## Have Lighthouse judge the recharge page of the release
	@./setup build release test
	$(RELEASE)
	node end2end/lighthouse.js

bench: ## Measure recharges per second against the usual way, on all engines (about half an hour)
	@./setup build test
	./with-databases cargo bench -p server --bench recharge

soak: ## An hour of random use, hang-ups and kill -9 on each engine; RECHARGE_SOAK_SECONDS=60 for a minute
	@./setup build test
	RECHARGE_SOAK_SECONDS=$(or $(RECHARGE_SOAK_SECONDS),3600) ./with-databases cargo test -p server --test soak

watch: ## Rebuild and reload the page at every change, for developers
	@./setup build
	@# Without hashes: cargo-leptos makes hashed names once, and the page would go on loading the files of the beginning.
	LEPTOS_HASH_FILES=false cargo leptos watch

fmt: ## Format the Rust code
	cargo fmt --all

clean: ## Remove everything that was built; the database stays
	rm -rf target end2end/node_modules end2end/test-results end2end/playwright-report
