import StoreHTTP
import StoreModels

/// Services, and runs that broke the store.
extension StoreAPI {
    /// `POST /admin/v1/services/{id}/drain`
    func drain(_ instance: String) async throws(CLIError) -> DrainResponse {
        try await call(MonitoringRoutes.drain, [.id: instance])
    }

    /// `GET /admin/v1/chaos/runs`
    func chaosRuns() async throws(CLIError) -> [ChaosRunSummary] {
        let response: ChaosRunsResponse = try await call(BusRoutes.runs)
        return response.runs
    }
}
