import EventLoop

/// Where handlers run; the one place that decides it.
///
/// The gateway has two loops, NIO's and libuv's. A whole handler runs with the libuv loop as its task executor
/// preference, so a request costs one hop in and one out, and its requests on the bus cost none
/// (`architecture.md`, loops). Without a loop, handlers run where Hummingbird calls them: the answers are the same,
/// each request on the bus then crosses threads twice.
struct HandlerExecution: Sendable {
    /// The bus connection's loop; nil in tests, and when switched off.
    let loop: UVLoop?

    func run<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        guard let loop else { return try await operation() }
        return try await withTaskExecutorPreference(loop, operation: operation)
    }
}
