import FoundationEssentials

/// Opens addresses in the operator's browser, as the desktop does.
enum Browser {
    private static let program = "xdg-open"

    /// Starts the desktop's program for addresses, and does not wait for it.
    /// - Parameter variables: The environment, from which the admin key is left out.
    /// - Returns: Whether such a program exists and could be started.
    static func open(_ address: String, _ variables: [String: String]) -> Bool {
        guard let path = find(in: variables["PATH"] ?? "") else { return false }
        let environment = variables.filter { $0.key != "STOREBUS_ADMIN_KEY" }
        return (try? ChildProcess.startInBackground([path, address], environment: environment)) != nil
    }

    /// Finds the program in the directories of `PATH`. Relative ones are passed over.
    static func find(in path: String) -> String? {
        path.split(separator: ":").lazy.filter { $0.hasPrefix("/") }.map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
