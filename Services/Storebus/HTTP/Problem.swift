import StoreModels

/// The gateway's `application/problem+json`.
struct Problem: Decodable {
    var title: String?
    var status: Int?
    var detail: String?
    var code: StoreErrorCode?
    var retryable: Bool?
    var traceId: String?

    /// The error a refused request is for the user.
    static func error(of response: StoreResponse, at url: String) -> CLIError {
        guard let problem = try? StoreJSON.decode(Problem.self, from: response.body), let code = problem.code else {
            return CLIError(
                .answerInvalid, "\(url) answered \(response.status), but not as a Storebus does",
                hints: ["is it another program's port? --url names the store"])
        }
        let body = (try? StrictJSON.parse(response.body)) ?? .null
        let known: Set<String> = ["type", "title", "status", "detail", "code", "retryable", "retryAfterMs", "traceId"]
        var details = body["details"]?.objectValue ?? [:]
        details.merge((body.objectValue ?? [:]).filter { !known.contains($0.key) && $0.key != "details" }) { own, _ in
            own
        }
        return CLIError(
            CLIErrorCode(code), problem.detail ?? problem.title ?? code.name, hints: hints(code),
            traceId: problem.traceId, retryable: problem.retryable ?? code.isRetryable, details: details)
    }

    private static func hints(_ code: StoreErrorCode) -> [String] {
        switch code {
        case .unauthenticated, .forbidden:
            ["set STOREBUS_ADMIN_KEY, or run where .storebus is found", "which key is used: storebus config show"]
        case .serviceUnavailable: ["which service is away: storebus status", "then the same command again"]
        default: [code.remedy]
        }
    }
}
