import ArgumentParser

/// The flags every executable of Storebus has. A setting without a flag comes from the environment, then from the file
/// of `--config`, then from the default.
package struct ServiceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Read settings from this JSON file.", valueName: "file"))
    package var config: String?

    @Option(help: "The address to listen on, where the process listens. (LISTEN_HOST)")
    package var host: String?

    @Option(help: "The port to listen on, 0 for any. (LISTEN_PORT)")
    package var port: Int?

    @Option(help: "The port of /healthz and /metrics, 0 for any. (MONITOR_PORT)")
    package var monitorPort: Int?

    @Option(
        help: ArgumentHelp(
            "The address of that port, loopback unless given; it asks for no credentials. (MONITOR_HOST)",
            valueName: "address"))
    package var monitorHost: String?

    @Option(help: ArgumentHelp("Keep data in this directory. (DATA_DIRECTORY)", valueName: "dir"))
    package var data: String?

    @Option(help: ArgumentHelp("Write this file when ready to serve. (READY_FILE)", valueName: "path"))
    package var readyFile: String?

    @Flag(help: "Ask the instance that wrote the ready file how it is, over the bus, and end: 0 when it is well.")
    package var health = false

    @Option(help: "trace, debug, info, notice, warning, error or critical. (LOG_LEVEL)")
    package var logLevel: String?

    package init() {}

    /// The flags that are settings, under their keys.
    var settings: [String: String] {
        var settings: [String: String] = [:]
        settings["listen.host"] = host
        settings["listen.port"] = port.map(String.init)
        settings["monitor.port"] = monitorPort.map(String.init)
        settings["monitor.host"] = monitorHost
        settings["data.directory"] = data
        settings["ready.file"] = readyFile
        settings["log.level"] = logLevel
        return settings
    }
}
