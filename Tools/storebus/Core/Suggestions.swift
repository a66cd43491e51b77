import StoreHTTP
import StoreModels

/// Suggests the nearest name known to the store in a `notFound` error. The lists are requested only then. Without a
/// list the error has no suggestion.
enum DidYouMean {
    static func productError(
        _ product: String, bundleId: String, storefront: String? = nil, _ context: CommandContext
    ) async -> CLIError {
        let products = (try? await context.api.catalogProducts(bundleId, storefront: storefront)) ?? []
        var hints: [Advice] = Suggestion.hints(for: product, among: products.map(\.productIdentifier))
        if products.isEmpty, let apps = try? await context.api.all(AppRoutes.list),
            !apps.contains(where: { $0.bundleId.isExactly(bundleId) })
        {
            hints += apps.isEmpty ? [] : ["apps here: \(apps.prefix(5).map(\.bundleId).joined(separator: ", "))"]
        }
        return CLIError(
            CLIErrorCode(.productNotFound), "product '\(product)' is not in \(bundleId)",
            hints: hints + ["all products: storebus product list\(AppOptions.flag(bundleId))"])
    }

    /// Runs a request about products, and suggests the nearest for an unknown one.
    static func forProducts<Value>(
        _ products: [String], _ context: CommandContext, _ body: () async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        try await replacing(.productNotFound, body) { failure in
            let known = ((try? await context.api.catalogProducts(context.bundleId)) ?? []).map(\.productIdentifier)
            let near = products.filter { !known.contains($0) }.flatMap { Suggestion.hints(for: $0, among: known) }
            return failure.with(
                hints: near + ["all products: storebus product list\(AppOptions.flag(context.bundleId))"])
        }
    }

    /// Runs a request about an account, and suggests the nearest for an unknown one.
    static func forAccount<Value>(
        _ account: String, _ context: CommandContext, _ body: () async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        try await replacing(.notFound, body) { _ in await accountError(account, context) }
    }

    /// Notes about an account without settings or purchases, which may be misspelt.
    static func notes(aboutAccount account: String, _ context: CommandContext) async -> [Advice] {
        guard let testers = try? await context.api.testers(),
            !testers.contains(where: { $0.account.isExactly(account) })
        else { return [] }
        let near = Suggestion.hints(for: account, among: testers.map(\.account))
        return ["this account has not been set or used yet"] + near
    }

    /// The note about an account that a command is about to make, with a near name.
    /// - Returns: Nil for an account with settings or purchases, and without answers.
    static func note(aboutNewAccount account: String, _ api: StoreAPI) async -> Advice? {
        guard let page = try? await api.call(TransactionRoutes.search, query: ["account": account, "limit": "1"]),
            page.transactions.isEmpty, let settings = try? await api.settings(of: account), settings.isEmpty
        else { return nil }
        let known = (try? await api.testers(limit: nearbyMax).map(\.account)) ?? []
        guard !known.containsExactly(account) else { return nil }
        return Suggestion.nearest(to: account, among: known).map {
            "\(account) is a new account; did you mean '\($0)'?"
        }
    }

    /// Maximum number of accounts among which a name near a new one is searched.
    private static let nearbyMax = 500

    static func accountError(_ account: String, _ context: CommandContext) async -> CLIError {
        let testers = (try? await context.api.testers()) ?? []
        return CLIError(
            CLIErrorCode(.notFound), "account '\(account)' not found",
            hints: Suggestion.hints(for: account, among: testers.map(\.account))
                + ["all accounts: storebus account list"])
    }

    /// Runs a search for the identifier that was typed, and explains an account in its place.
    /// - Parameter text: The typed text. Nil if the command line names an account.
    static func notAccount<Value>(
        _ text: String?, _ context: CommandContext, _ body: () async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        let result = await Result.of(body)
        guard case .failure(let failure) = result, failure.is(.notFound) || failure.code == .usage, let text,
            let testers = try? await context.api.testers(), testers.contains(where: { $0.account.isExactly(text) })
        else { return try result.get() }
        var command: ShellCommand = "storebus"
        for word in context.environment.printed.running { command.add(word) }
        command.add("--as", text)
        throw CLIError(.usage, "'\(text)' is an account", hints: [Advice(command: command)])
    }

    /// Finds storefronts by three-letter codes, in any case.
    /// - Throws: `usage` with the nearest one.
    static func storefronts(
        _ names: [String], _ context: CommandContext
    ) async throws(CLIError) -> [StorefrontDescription] {
        let all = try await context.api.call(AppRoutes.storefronts).storefronts
        var found: [StorefrontDescription] = []
        for name in names {
            guard let storefront = all.first(where: { $0.countryCode == name.uppercased() }) else {
                throw storefrontError(name, all)
            }
            found.append(storefront)
        }
        return found
    }

    /// Runs a request about a storefront, and suggests the nearest for an unknown one.
    /// - Parameter name: Nil for the app's.
    static func forStorefront<Value>(
        _ name: String?, _ context: CommandContext, _ body: () async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        try await replacing(.requestInvalid, body) { failure throws(CLIError) in
            // Throws the better error when the storefront is unknown.
            _ = try await storefronts(name.map { [$0] } ?? [], context)
            return failure
        }
    }

    private static func storefrontError(_ name: String, _ all: [StorefrontDescription]) -> CLIError {
        let byName = all.first { $0.name.lowercased() == name.lowercased() }?.countryCode
        let near = byName ?? Suggestion.nearest(to: name.uppercased(), among: all.map(\.countryCode))
        return CLIError(
            .usage, "there is no storefront '\(name)'",
            hints: (near.map { ["did you mean \($0)?"] } ?? []) + ["all of them: storebus storefront list"])
    }

    /// Runs a request, and replaces the error with this code.
    /// - Parameter better: Returns the error to throw instead of the store's.
    static func replacing<Value>(
        _ code: StoreErrorCode, _ body: () async throws(CLIError) -> Value,
        better: (CLIError) async throws(CLIError) -> CLIError
    ) async throws(CLIError) -> Value {
        let result = await Result.of(body)
        guard case .failure(let failure) = result, failure.is(code) else { return try result.get() }
        throw try await better(failure)
    }
}

extension CommandContext {
    /// The app the command is about.
    /// - Throws: `notFound` with the nearest one.
    func app() async throws(CLIError) -> App {
        do {
            return try await api.call(AppRoutes.get, [.bundleId: bundleId])
        } catch  where error.is(.notFound) {
            let known = (try? await api.all(AppRoutes.list))?.map(\.bundleId) ?? []
            throw CLIError(
                CLIErrorCode(.notFound), "there is no app '\(bundleId)'",
                hints: Suggestion.hints(for: bundleId, among: known) + [
                    "all apps: storebus app list",
                    "a new one: storebus import App.storekit\(AppOptions.flag(bundleId))",
                ])
        }
    }

    /// The command's app, if it is named and exists.
    func appIfAny() async -> App? {
        try? await api.call(AppRoutes.get, [.bundleId: withOnlyAppIfAny().bundleId])
    }
}

/// Finds the nearest word for a misspelt one.
enum Suggestion {
    /// Returns the nearest candidate, if it is near enough. At most a third of its letters are wrong, or the text is
    /// its beginning, or what follows a point in it. Of equal distances the first candidate is taken.
    static func nearest(to text: String, among candidates: [String]) -> String? {
        let wanted = Array(text.lowercased().unicodeScalars)
        guard !wanted.isEmpty, wanted.count <= lengthMax else { return nil }
        var best: (candidate: String, distance: Int)?
        for candidate in candidates where candidate != text {
            let letters = Array(candidate.lowercased().unicodeScalars)
            guard letters.count <= lengthMax else { continue }
            let isPart =
                wanted.count >= 3
                && (letters.starts(with: wanted) || letters.reversed().starts(with: (["."] + wanted).reversed()))
            let distance = isPart ? 1 : distance(wanted, letters)
            guard distance <= max(1, max(wanted.count, letters.count) / 3), distance < best?.distance ?? .max else {
                continue
            }
            best = (candidate, distance)
        }
        return best?.candidate
    }

    /// Returns the nearest as a hint of an error. Empty if no candidate is near enough.
    static func hints(for text: String, among candidates: [String]) -> [Advice] {
        nearest(to: text, among: candidates).map { ["did you mean '\($0)'?"] } ?? []
    }

    /// Returns the nearest as the end of a sentence. Empty if no candidate is near enough.
    static func suffix(for text: String, among candidates: [String]) -> String {
        nearest(to: text, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// Maximum length of words to compare. Product identifiers have at most 100 characters.
    private static let lengthMax = 128

    /// Counts the letters to insert, delete, replace or swap with their neighbour (optimal string alignment).
    static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for i in 1...left.count {
            var row = [i] + [Int](repeating: 0, count: right.count)
            for j in 1...right.count {
                let cost = left[i - 1] == right[j - 1] ? 0 : 1
                row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
                if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                    row[j] = min(row[j], beforeLast[j - 2] + 1)
                }
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }
}
