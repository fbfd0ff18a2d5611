//! The stylesheet, the script and the WASM, from the folder that the build made.

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use leptos::config::LeptosOptions;

/// Serves the files. Where their names carry a hash of their content, a browser may keep them for ever.
pub fn service(options: &LeptosOptions) -> Router {
    let mut inner = options.clone();
    // The service is mounted at the folder's own address, so it begins inside the folder.
    inner.site_root = format!("{}/{}", options.site_root, options.site_pkg_dir).into();
    let files = Router::new().fallback_service(leptos_axum::site_pkg_dir_service(&inner));
    if options.hash_files { files.layer(axum::middleware::map_response(keep_for_ever)) } else { files }
}

async fn keep_for_ever(mut response: Response) -> Response {
    if response.status().is_success() {
        let value = HeaderValue::from_static("public, max-age=31536000, immutable");
        response.headers_mut().insert(header::CACHE_CONTROL, value);
    }
    response
}
