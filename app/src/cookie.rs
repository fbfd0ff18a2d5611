//! Cookies that page and server set alike.

/// A cookie that lasts for a year, as a browser or a server sets it. Name and value must need no escaping.
#[must_use]
pub fn lasting(name: &str, value: &str, https: bool) -> String {
    let secure = if https { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; SameSite=Lax; Max-Age=31536000{secure}")
}
