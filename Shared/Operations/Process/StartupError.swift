import BusClient
import BusService
import EventLoop

/// The reason why a process cannot start or continue, with the exit code. The message is one line that names the place
/// and the remedy.
///
/// ```swift
/// throw StartupError(.locked, "data/catalog.sqlite is held by pid 812 (catalog); stop it first")
/// ```
package struct StartupError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The exit status the process ends with.
    package var exit: ProcessExit
    /// One line, without the process's name.
    package var message: String

    /// Creates an error whose message is printed as the process's last line.
    package init(_ exit: ProcessExit, _ message: String) {
        self.exit = exit
        self.message = message
    }

    /// The message alone, without the exit code.
    package var description: String { message }
}

extension StartupError {
    /// Converts an error that ended the process.
    package init(_ error: any Error) {
        switch error {
        case let error as StartupError: self = error
        case let error as BusError: self.init(error)
        case let error as StoreConflict: self.init(.badConfiguration, error.description)
        case let error as UVError: self.init(.unavailable, "\(error)")
        default: self.init(.bug, "\(error)")
        }
    }

    private init(_ error: BusError) {
        switch error.code {
        case .authenticationFailed:
            self.init(
                .notAllowed,
                "the bus did not accept the credentials: \(error.message); set BUS_CREDENTIALS_FILE"
            )
        case .replaced: self.init(.temporary, "another process took this instance's place on the bus: \(error.message)")
        case .invalidURL: self.init(.badConfiguration, "BUS_URL: \(error.message)")
        case .tlsFailed: self.init(.unavailable, error.message)
        case .permissionDenied: self.init(.notAllowed, "the bus refused: \(error.message)")
        default: self.init(.unavailable, "the bus: \(error.message)")
        }
    }

    /// Explains a listener that could not be opened.
    package init(listening error: UVError, host: String, port: Int, flag: String) {
        switch error.code {
        case UVError.addressInUse:
            self.init(
                .unavailable,
                "\(host):\(port) is in use by another process; stop that one, or choose another port with \(flag)")
        case UVError.permissionDenied:
            self.init(.unavailable, "no permission to listen on \(host):\(port); choose a port above 1023 with \(flag)")
        case UVError.addressNotAvailable:
            self.init(.badConfiguration, "\(host) is not an address of this machine; correct --host")
        default:
            self.init(.unavailable, "cannot listen: \(error)")
        }
    }
}
