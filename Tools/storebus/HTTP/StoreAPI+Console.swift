import StoreHTTP
import StoreModels

/// The web console.
extension StoreAPI {
    /// `POST /console/tickets`: what signs a browser in.
    func createConsoleTicket() async throws(CLIError) -> ConsoleTicket { try await call(ConsoleRoutes.createTicket) }
}
