// swift-tools-version:6.0
import PackageDescription

// Linux: the folder of libomniport_swift.so, where the system does not look for it. Apple: the XCFramework that `make xcframework` builds.
let library = Context.environment["OMNIPORT_LIB"]
// Set by tools/env.sh. Who depends on the package needs no SQLite, which an example uses, and a warning of a later compiler is no error there.
let isDeveloped = Context.environment["OMNIPORT_DEVELOPMENT"] != nil
let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)] + (isDeveloped ? [.unsafeFlags(["-warnings-as-errors"])] : [])

#if os(macOS)
    let ffi: Target = .binaryTarget(name: "OmniportFFI", path: "bindings-swift/OmniportFFI.xcframework")
    let linking: [LinkerSetting] = ["CoreFoundation", "Security", "SystemConfiguration"].map { .linkedFramework($0) }
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

if isDeveloped {
    func program(_ name: String, _ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
        .executableTarget(name: name, dependencies: ["Omniport"] + dependencies, path: path, swiftSettings: strict)
    }
    package.targets += [
        program("Bench", "tests/bench/swift"),
        program("Conformance", "tests/conformance/swift"),
        program("Drive", "tests/faults/swift"),
        program("Interop", "tests/interop/swift"),
        program("VectorServer", "tests/vectors/swift"),
        program("StdioServer", "bindings-swift/Tests/Programs/StdioServer"),
        program("RawServer", "bindings-swift/Tests/Programs/RawServer"),
        program("Leak", "bindings-swift/Tests/Programs/Leak"),
        program("Leaves", "bindings-swift/Tests/Programs/Leaves"),
        program("Hello", "bindings-swift/Examples/Hello"),
        program("Host", "bindings-swift/Examples/Client"),
        program("Notes", "bindings-swift/Examples/AppLike"),
        program("SQLiteServer", "bindings-swift/Examples/SQLiteServer", ["CSQLite"]),
        .systemLibrary(name: "CSQLite", path: "bindings-swift/Examples/CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    ]
}
