import ArgumentParser

/// `--color`.
enum ColorChoice: String, CaseIterable, Sendable, ExpressibleByArgument {
    case auto, always, never

    /// Whether a stream gets colours: the flag, then `NO_COLOR`, then `CLICOLOR_FORCE`, then what the stream ends at.
    func isOn(onTerminal: Bool, isDumb: Bool, variables: [String: String]) -> Bool {
        switch self {
        case .always: return true
        case .never: return false
        case .auto: break
        }
        if variables["NO_COLOR"] != nil { return false }
        if let forced = variables["CLICOLOR_FORCE"], forced != "0" { return true }
        return onTerminal && !isDumb && variables["CLICOLOR"] != "0"
    }
}
