import Broker
import Operations

extension ProcessEnvironment {
    /// Starts the broker of this process and shows its pages on the monitoring port.
    ///
    /// - Throws: `StartupError` that names the setting and the remedy.
    func startBroker(tokenFile: String?) async throws(StartupError) -> BrokerServer {
        ready.expectListener()
        let server = BrokerServer(configuration: try brokerConfiguration(tokenFile), loop: loop, logger: logger)
        do throws(BrokerStartError) {
            let address = try await server.start()
            logger.info("listening", metadata: ["host": "\(address.host)", "port": "\(address.port)"])
            for path in BrokerServer.pages { showPage(path, of: server) }
            try ready.listening(host: address.host, port: address.port)
        } catch let error as BrokerStartError {
            throw StartupError(error.isUnavailable ? .unavailable : .badConfiguration, error.description)
        } catch let error as StartupError {
            throw error
        }
        return server
    }

    private func brokerConfiguration(_ tokenFile: String?) throws(StartupError) -> BrokerConfiguration {
        var configuration = BrokerConfiguration(
            host: host, port: port ?? BrokerConfiguration.port, version: StorebusVersion.text)
        let window = try self.configuration.int("bus.drainMilliseconds", default: 1000, in: 0...10_000)
        configuration.limits.drainWindow = .milliseconds(window)
        if let path = try tokenFile ?? self.configuration.string("bus.tokenFile") {
            do throws(BrokerStartError) {
                configuration.token = try BrokerConfiguration.token(inFile: path)
            } catch {
                throw StartupError(.badConfiguration, error.description)
            }
        }
        return configuration
    }

    private func showPage(_ path: String, of server: BrokerServer) {
        let metrics = metrics
        monitor.route(path) { request in
            guard let page = await server.page(path, query: request.query) else {
                return .text("the broker has stopped\n", status: 503)
            }
            // The process's own series stand under the broker's on the same page.
            let more = path == "/metrics" ? Array(metrics.text().utf8) : []
            return MonitorResponse(status: page.status, contentType: page.contentType, body: page.body + more)
        }
    }
}
