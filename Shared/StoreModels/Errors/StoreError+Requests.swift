extension StoreError {
    /// Creates an error for an invalid request.
    /// - Parameter path: The invalid part: `$.quantity`, `query limit`.
    package static func invalid(_ path: String, _ reason: String, status: Int = 400) -> StoreError {
        var error = StoreError(.requestInvalid, "\(path): \(reason)", details: ["path": .string(path)])
        error.status = status
        return error
    }

    /// Creates the error for a missing object. An object of another customer or app gets the same error (S1).
    package static func notFound(_ what: String) -> StoreError {
        StoreError(.notFound, "there is no such \(what)")
    }
}
