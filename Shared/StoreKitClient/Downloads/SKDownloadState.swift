internal import StoreModels

/// How far a download is, with StoreKit's raw values.
public enum SKDownloadState: Int, CaseIterable, Sendable {
    /// Not started on this device.
    case waiting = 0
    case active = 1
    case paused = 2
    /// `contentURL` says where it lies.
    case finished = 3
    /// `error` says why; starting it again tries again.
    case failed = 4
    case cancelled = 5

    init(_ model: Download.State) {
        self =
            switch model {
            case .waiting: .waiting
            case .active: .active
            case .paused: .paused
            case .finished: .finished
            case .failed: .failed
            case .cancelled: .cancelled
            }
    }
}
