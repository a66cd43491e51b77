import Dispatch
import Glibc

/// SIGINT, SIGTERM and SIGHUP as calls instead of the end of the process, for as long as the value lives.
final class StopSignals {
    private let sources: [any DispatchSourceSignal]

    init(_ onSignal: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            // The default action would end the process before the source sees the signal.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: onSignal)
            source.resume()
            return source
        }
    }

    deinit { sources.forEach { $0.cancel() } }
}
