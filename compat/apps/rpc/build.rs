//! The service's traits and client, from a description in Rust: no `protoc` is needed.

use tonic_build::manual::{Builder, Method, MethodBuilder, Service};

fn main() {
    let method = |name: &str, route: &str, input: &str, output: &str| -> MethodBuilder {
        Method::builder()
            .name(name)
            .route_name(route)
            .input_type(format!("crate::{input}"))
            .output_type(format!("crate::{output}"))
            .codec_path("tonic_prost::ProstCodec")
    };
    let service = Service::builder()
        .name("Sums")
        .package("sums")
        .method(method("add", "Add", "Pair", "Number").build())
        .method(
            method("total", "Total", "Number", "Number")
                .client_streaming()
                .build(),
        )
        .method(
            method("count", "Count", "Number", "Number")
                .server_streaming()
                .build(),
        )
        .method(
            method("running", "Running", "Number", "Number")
                .client_streaming()
                .server_streaming()
                .build(),
        )
        .method(method("wait", "Wait", "Number", "Number").build())
        .build();
    Builder::new().compile(&[service]);
}
