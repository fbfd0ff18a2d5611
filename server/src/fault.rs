//! Faults that a test can order from a real server: to be held still at a point, so that it can be killed there, or to
//! panic there once. A release build has none of this.

#[cfg(debug_assertions)]
mod ordered {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// What is to happen, from the environment variable `RECHARGE_FAULT`: `hold:pay`, `panic:grant` and the like.
    static ORDER: LazyLock<Option<(String, String)>> = LazyLock::new(|| {
        let order = std::env::var("RECHARGE_FAULT").ok()?;
        order.split_once(':').map(|(fault, point)| (fault.to_owned(), point.to_owned()))
    });

    static PANICKED: AtomicBool = AtomicBool::new(false);

    /// Lets the fault happen that was ordered for this point, if there is one.
    #[expect(clippy::panic, reason = "this is what was ordered")]
    pub async fn point(name: &str) {
        match ORDER.as_ref().filter(|(_, point)| point == name).map(|(fault, _)| fault.as_str()) {
            Some("hold") => {
                tracing::warn!("held at {name} by RECHARGE_FAULT");
                std::future::pending::<()>().await;
            }
            Some("panic") if !PANICKED.swap(true, Ordering::SeqCst) => panic!("ordered by RECHARGE_FAULT at {name}"),
            _ => {}
        }
    }
}

#[cfg(debug_assertions)]
pub use ordered::point;

/// Does nothing.
#[cfg(not(debug_assertions))]
#[expect(clippy::unused_async, reason = "the callers await it in every build")]
pub async fn point(_name: &str) {}
