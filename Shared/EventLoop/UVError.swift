internal import CLibUV

/// A failed libuv call: the operation, its object, and libuv's code.
///
/// `description` reads "bind 127.0.0.1:7420: address already in use (EADDRINUSE)". Compare `code` with the well-known
/// codes below (`error.code == UVError.addressInUse`), because `operation` and `message` are for people.
package struct UVError: Error, Equatable, Sendable, CustomStringConvertible {
    /// libuv's code, always negative. On Linux it is the negated errno.
    package let code: CInt
    /// The operation with its object: "connect 127.0.0.1:7420".
    package let operation: String

    /// Creates an error for `code` as libuv returned it.
    package init(code: CInt, operation: String) {
        self.code = code
        self.operation = operation
    }

    /// libuv's name of the code, such as "EADDRINUSE".
    package var name: String { String(cString: uv_err_name(code)) }

    /// libuv's sentence for the code, such as "address already in use".
    package var message: String { String(cString: uv_strerror(code)) }

    /// Operation, sentence and name, for logs: `listen on 127.0.0.1:7420: address already in use (EADDRINUSE)`.
    package var description: String { "\(operation): \(message) (\(name))" }

    /// Makes an error of the calling thread's errno. Read that immediately after the failed call.
    static func fromErrno(_ number: CInt, _ operation: String) -> UVError {
        UVError(code: uv_translate_sys_error(number), operation: operation)
    }

    /// Throws when `code` is negative.
    @discardableResult
    static func check(_ code: CInt, _ operation: @autoclosure () -> String) throws(UVError) -> CInt {
        if code < 0 { throw UVError(code: code, operation: operation()) }
        return code
    }
}

extension UVError {
    /// Another process listens on the address.
    package static let addressInUse = UV_EADDRINUSE.rawValue
    /// The address belongs to no interface of this machine.
    package static let addressNotAvailable = UV_EADDRNOTAVAIL.rawValue
    /// Ports below 1024 without the privilege, or a firewall rule.
    package static let permissionDenied = UV_EACCES.rawValue
    /// No process listens on the address.
    package static let connectionRefused = UV_ECONNREFUSED.rawValue
    /// The peer reset the connection.
    package static let connectionReset = UV_ECONNRESET.rawValue
    /// A write to a connection whose peer has gone.
    package static let brokenPipe = UV_EPIPE.rawValue
    /// The connect timeout passed, or written bytes stayed unacknowledged for `TCP_USER_TIMEOUT`.
    package static let timedOut = UV_ETIMEDOUT.rawValue
    /// The loop is closing or closed, or the task was cancelled.
    package static let cancelled = UV_ECANCELED.rawValue
    /// The host name does not resolve.
    package static let unknownHost = UV_EAI_NONAME.rawValue
    /// An argument libuv refuses, such as a port above 65535.
    package static let invalidArgument = UV_EINVAL.rawValue
}
