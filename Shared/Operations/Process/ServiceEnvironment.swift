import BusClient
import BusService
import EventLoop
import Logging

/// The loop, settings, logger, metrics and monitoring port of every process. The broker gets this one.
package struct ProcessEnvironment: Sendable {
    /// `catalog`, `broker`.
    package let name: String
    /// Random for each process start.
    package let instance: String
    /// The process's loop, on a thread of its own. Closed after everything has stopped.
    package let loop: UVLoop
    /// Labelled with the process's name.
    package let logger: Logger
    /// The settings from flags, environment and file, in this order.
    package let configuration: Settings
    /// The process's only registry, which `/metrics` shows.
    package let metrics: PrometheusRegistry
    /// The monitoring port. Pages may be added at any time.
    package let monitor: MonitorServer
    /// Notifies the starter when the process serves.
    package let ready: ReadyFileWriter
    /// `--data`, else `.storebus`. Made when it does not exist, private to the user, if the process said it uses it.
    package let dataDirectory: String
    /// `--host`, else 127.0.0.1.
    package let host: String
    /// `--port`, or nil when it is not set.
    package let port: Int?
}

/// The process's environment and the further dependencies of a service on the bus.
@dynamicMemberLookup
package struct ServiceEnvironment: Sendable {
    /// The part that the broker has, too.
    package let process: ProcessEnvironment
    /// The connection to the bus, already started. It reconnects by itself.
    package let bus: any BusClient
    /// The service that endpoints and health checks are registered with. It is run by ``ServiceMain`` after the
    /// services that `build` returns, and stops before them.
    package let service: BusService
    /// The caller for requests to other services, without retries.
    package let caller: ServiceCaller

    /// The members of ``process``.
    package subscript<Value>(dynamicMember member: KeyPath<ProcessEnvironment, Value>) -> Value {
        process[keyPath: member]
    }
}
