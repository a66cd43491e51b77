/// The counts of one endpoint in `$SRV.STATS`, since the process started.
struct EndpointStatistics: Sendable {
    private(set) var requests = 0
    private(set) var errors = 0
    /// `409 transactionNotFinishable`: status and code only, because messages may hold identifiers.
    private(set) var lastError = ""
    private(set) var processingNanoseconds: Int64 = 0

    mutating func record(nanoseconds: Int64, error: String?) {
        requests += 1
        processingNanoseconds += nanoseconds
        guard let error else { return }
        errors += 1
        lastError = error
    }

    var averageNanoseconds: Int64 { requests == 0 ? 0 : processingNanoseconds / Int64(requests) }
}
