/// How the sandbox decides, `processor.mode`.
package enum ProcessorMode: String, CaseIterable, Sendable {
    /// Every charge is approved.
    case approve
    /// Every charge is declined.
    case decline
}
