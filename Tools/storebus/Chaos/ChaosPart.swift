/// A part of a run beside its workload, with customers or reads of its own.
protocol ChaosPart: Sendable {
    /// Makes what it needs, before the first fault.
    func setUp() async throws(CLIError)
    /// Goes on until the task is cancelled.
    func run() async
    /// Does once more what has to succeed when all is healed.
    func tour() async
    /// Reads what is left, behind the last notification.
    func finish() async
}

extension ChaosPart {
    func setUp() async throws(CLIError) {}
    func tour() async {}
}
