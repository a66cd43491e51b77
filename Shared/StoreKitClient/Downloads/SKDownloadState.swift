internal import StoreModels

extension SKDownloadState {
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
