// swift-tools-version:6.0
import PackageDescription

// Linux: OMNIPORT_LIB is the folder of libomniport_swift.so. Apple: the XCFramework that `make xcframework` builds.
let library = Context.environment["OMNIPORT_LIB"]
let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .unsafeFlags(["-warnings-as-errors"])]

#if os(macOS)
    let ffi: Target = .binaryTarget(name: "OmniportFFI", path: "bindings-swift/OmniportFFI.xcframework")
    let linking: [LinkerSetting] = []
#else
    let ffi: Target = .systemLibrary(name: "OmniportFFI", path: "bindings-swift/Sources/OmniportFFI")
    let linking: [LinkerSetting] =
        [.linkedLibrary("omniport_swift")]
        + (library.map { [.unsafeFlags(["-L\($0)", "-Xlinker", "-rpath", "-Xlinker", $0])] } ?? [])
#endif

let package = Package(
    name: "omniport",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "Omniport", targets: ["Omniport"])],
    targets: [
        ffi,
        // What UniFFI wrote: language mode 5, untouched, and never the public face.
        .target(
            name: "OmniportBoundary",
            dependencies: ["OmniportFFI"],
            path: "bindings-swift/Sources/OmniportBoundary",
            swiftSettings: [.swiftLanguageMode(.v5)],
            linkerSettings: linking
        ),
        .target(
            name: "Omniport",
            dependencies: ["OmniportBoundary"],
            path: "bindings-swift/Sources/Omniport",
            swiftSettings: strict
        ),
        .testTarget(
            name: "OmniportTests",
            dependencies: ["Omniport"],
            path: "bindings-swift/Tests/OmniportTests",
            swiftSettings: strict
        ),
    ]
)
