import EventLoop

/// Decides where the HTTP side runs.
///
/// The gateway has two loops: NIO's, one thread that reads and writes sockets, and libuv's, which has the bus. The
/// server runs with the libuv loop as its task executor preference, and structured tasks inherit that: every
/// connection, every handler and every stream is on the bus's thread. So a request costs one hop in and one out, its
/// requests on the bus cost none, and nothing runs on the global pool (`architecture.md`, loops).
///
/// Without a loop the same code runs on Swift's global pool, and each request on the bus crosses threads twice.
struct LoopPlacement: Sendable {
    /// The bus connection's loop; nil for the global pool.
    let loop: UVLoop?

    func run<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        guard let loop else { return try await operation() }
        return try await withTaskExecutorPreference(loop, operation: operation)
    }
}
