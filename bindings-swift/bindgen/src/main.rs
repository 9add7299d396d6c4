//! Writes the Swift side of the boundary, from what the library says about itself.

fn main() {
    uniffi::uniffi_bindgen_swift()
}
