import Broker
import Operations
import StoreModels

extension ProcessEnvironment {
    /// Starts the broker of this process and serves its pages on the monitoring port.
    ///
    /// - Throws: `StartupError` that names the setting and the remedy.
    func startBroker(
        tokenFile: String?, usersFile: String?, lockFile: String?
    ) async throws(StartupError) -> BrokerServer {
        ready.expectListener()
        var brokerConfiguration = try brokerConfiguration(tokenFile, usersFile)
        let lockSetting = try configuration.string("bus.lockFile")
        brokerConfiguration.lockFile = lockFile ?? lockSetting
        brokerConfiguration.tls = try busTLSFiles()
        let server = BrokerServer(configuration: brokerConfiguration, loop: loop, logger: logger)
        let address: (host: String, port: Int)
        do throws(BrokerStartError) {
            address = try await server.start()
        } catch {
            throw StartupError(Self.exit(of: error), error.description)
        }
        for path in BrokerServer.pages { showPage(path, of: server) }
        try ready.listening(host: address.host, port: address.port)
        return server
    }

    private static func exit(of error: BrokerStartError) -> ProcessExit {
        if case .secondBroker = error { return .locked }
        return error.isUnavailable ? .unavailable : .badConfiguration
    }

    private func brokerConfiguration(_ tokenFile: String?, _ usersFile: String?) throws(StartupError)
        -> BrokerConfiguration
    {
        var configuration = BrokerConfiguration(
            host: host, port: port ?? BrokerConfiguration.port, version: StorebusVersion.number)
        let window = try self.configuration.int("bus.drainMilliseconds", default: 1000, in: 0...10_000)
        configuration.limits.drainWindow = .milliseconds(window)
        configuration.chaos = try self.configuration.bool("storebus.chaos", default: false)
        let tokenSetting = try self.configuration.string("bus.tokenFile")
        let usersSetting = try self.configuration.string("bus.usersFile")
        do throws(BrokerStartError) {
            if let path = tokenFile ?? tokenSetting {
                configuration.token = try BrokerConfiguration.token(inFile: path)
            }
            if let path = usersFile ?? usersSetting { configuration.users = try UsersFile.read(path).users }
        } catch {
            throw StartupError(.badConfiguration, error.description)
        }
        return configuration
    }

    private func showPage(_ path: String, of server: BrokerServer) {
        let metrics = metrics
        monitor.route(path) { request in
            guard let page = await server.page(path, query: request.query) else {
                return .text("the broker has stopped\n", status: 503)
            }
            // The process's own series follow the broker's on the same page.
            let more = path == "/metrics" ? Array(metrics.text().utf8) : []
            return MonitorResponse(status: page.status, contentType: page.contentType, body: page.body + more)
        }
    }
}
