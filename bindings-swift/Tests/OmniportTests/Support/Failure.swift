@testable import Omniport

/// The error of the package that a call throws; nil when it throws none, or another.
func failure<T>(_ call: () throws -> T) -> OmniportError? {
    do {
        _ = try call()
        return nil
    } catch {
        return error as? OmniportError
    }
}

func failure<T>(_ call: () async throws -> T) async -> OmniportError? {
    do {
        _ = try await call()
        return nil
    } catch {
        return error as? OmniportError
    }
}
