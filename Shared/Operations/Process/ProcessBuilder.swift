import BusService
import CoreMetrics
import EventLoop
import FoundationEssentials
import Glibc
import Logging
import Metrics
import PlantedBugs
import Tracing

/// Builds a process's environment, and tears it down.
enum ProcessBuilder {
    static let processIdentifier = ProcessInfo.processInfo.processIdentifier

    /// Reads the settings and sets up logging, metrics and the loop. Once per process, because swift-log and
    /// swift-metrics take one backend.
    static func environment(
        name: String, options: ServiceOptions, flags: [String: String], usesData: Bool
    ) throws(StartupError) -> ProcessEnvironment {
        let settings = try Settings(options: options, flags: flags)
        let instance = RandomIdentifier.hex(digits: 24)
        let logger = try bootstrapLogging(name: name, instance: instance, settings)
        if let warning = hashingWarning(ProcessInfo.processInfo.environment) { logger.warning("\(warning)") }
        try checkPlantedBug(logger)
        let metrics = PrometheusRegistry()
        MetricsSystem.bootstrap(metrics)
        InstrumentationSystem.bootstrap(SpanTracer())
        let loop: UVLoop
        do throws(UVError) {
            loop = try UVLoop.start(name: name)
        } catch {
            throw StartupError(.temporary, "\(error)")
        }
        let host = try settings.string("listen.host", default: "127.0.0.1")
        let environment = ProcessEnvironment(
            name: name, instance: instance, loop: loop, logger: logger, configuration: settings, metrics: metrics,
            monitor: monitor(loop, metrics),
            ready: ReadyFileWriter(
                path: try settings.string("ready.file"), service: name, instance: instance, host: host,
                expectsListener: false),
            dataDirectory: try dataDirectory(settings, usesData: usesData, logger), host: host,
            port: try settings.int("listen.port", in: 0...65535))
        return environment
    }

    /// Returns the warning about hashing without a seed. Nil with Swift's default, a seed per process.
    ///
    /// Clients choose many keys of dictionaries. With known hashes they could choose colliding ones.
    static func hashingWarning(_ environment: [String: String]) -> String? {
        // Swift takes what begins like true, yes or 1.
        guard let first = environment[deterministicHashing]?.first, "tTyY1".contains(first) else { return nil }
        return "\(deterministicHashing) is set, so clients can slow this process down; unset it outside of tests"
    }

    /// Logs which bug this process has.
    /// - Throws: `badConfiguration` for an unknown one.
    private static func checkPlantedBug(_ logger: Logger) throws(StartupError) {
        guard let name = PlantedBug.chosen else { return }
        if let refusal = PlantedBug.refusal(of: name) { throw StartupError(.badConfiguration, refusal) }
        logger.critical("THIS PROCESS HAS A PLANTED BUG: do not sell with it", metadata: ["bug": "\(name)"])
    }

    private static let deterministicHashing = "SWIFT_DETERMINISTIC_HASHING"

    /// Removes the ready file and ends the loop, once everything has stopped.
    static func tearDown(_ environment: ProcessEnvironment) async {
        environment.ready.remove()
        await environment.monitor.stop()
        await environment.loop.close()
        LineWriter.standardError.flush()
    }

    /// Raises the lifecycle library's log level, because that library logs each step at info.
    static func quiet(_ logger: Logger) -> Logger {
        var logger = logger
        if logger.logLevel > .debug { logger.logLevel = .error }
        return logger
    }

    private static func bootstrapLogging(
        name: String, instance: String, _ settings: Settings
    ) throws(StartupError) -> Logger {
        let level = try settings.choice("log.level", default: Logger.Level.info)
        let format = try settings.choice("log.format", default: StandardError.isTerminal ? LogFormat.text : .json)
        LoggingSystem.bootstrap { _ in
            StorebusLogHandler(service: name, instance: instance, level: level, format: format)
        }
        return Logger(label: name)
    }

    private static func monitor(_ loop: UVLoop, _ metrics: PrometheusRegistry) -> MonitorServer {
        let process = ProcessMetrics(registry: metrics, loop: loop)
        metrics.beforeEachPage { process.refresh() }
        let monitor = MonitorServer(loop: loop)
        monitor.route("/healthz") { _ in .json(["status": "pass"]) }
        monitor.route("/metrics") { _ in
            MonitorResponse(contentType: "text/plain; version=0.0.4; charset=utf-8", body: Array(metrics.text().utf8))
        }
        return monitor
    }

    private static func dataDirectory(
        _ settings: Settings, usesData: Bool, _ logger: Logger
    ) throws(StartupError) -> String {
        let path = try settings.string("data.directory", default: ".storebus")
        guard usesData else { return path }
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StartupError(
                .badConfiguration, "the data directory \(path) cannot be made; choose another with --data")
        }
        try checkPrivacy(of: path, logger)
        return path
    }

    /// Checks that only the process's user gets into the data directory.
    ///
    /// - Throws: `badConfiguration` for a directory in which other users may exchange files.
    static func checkPrivacy(of path: String, _ logger: Logger) throws(StartupError) {
        do throws(FilePrivacy.Refusal) {
            guard try FilePrivacy.checkDirectory(path) == .isOpen else { return }
            logger.warning("other users may look into the data directory", metadata: ["remedy": "chmod 700 \(path)"])
        } catch {
            throw StartupError(.badConfiguration, error.description)
        }
    }
}

/// The gauges every process has, named as by Prometheus' own clients. The loop's longest turn is added.
struct ProcessMetrics: Sendable {
    private let resident: any MeterHandler
    private let descriptors: any MeterHandler
    private let cpu: MetricSeries
    private let turn: any MeterHandler
    private let loop: UVLoop

    init(registry: PrometheusRegistry, loop: UVLoop) {
        self.loop = loop
        resident = registry.makeMeter(label: "process_resident_memory_bytes", dimensions: [])
        descriptors = registry.makeMeter(label: "process_open_fds", dimensions: [])
        cpu = registry.series("process_cpu_seconds_total", [], .counter)
        turn = registry.makeMeter(label: "storebus_loop_longest_turn_seconds", dimensions: [])
    }

    /// Reads the numbers. The longest turn begins anew each time.
    func refresh() {
        resident.set(Double(Self.residentBytes))
        descriptors.set(Double(Self.openDescriptors))
        cpu.set(Self.cpuSeconds)
        turn.set(Double(loop.resetLongestTurn()) / 1e6)
    }

    private static var residentBytes: Int {
        guard let data = FileManager.default.contents(atPath: "/proc/self/statm") else { return 0 }
        let fields = String(decoding: data, as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * sysconf(CInt(_SC_PAGESIZE)) : 0
    }

    private static var openDescriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    private static var cpuSeconds: Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}
