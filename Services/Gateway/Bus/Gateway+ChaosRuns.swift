import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes with which runs of `storebus chaos run` report themselves.
    var chaosRunRoutes: [Route] {
        [
            Route(BusRoutes.runs) { [self] _ in ChaosRunsResponse(runs: try await chaosRuns.list()) },
            Route(BusRoutes.run) { [self] call in
                let id = try call.parameter(.id, of: "run")
                guard let run = try await chaosRuns.find(id) else {
                    throw StoreError(.notFound, "run '\(id)' not found; GET /admin/v1/chaos/runs lists the last fifty")
                }
                return run
            },
            Route(BusRoutes.putRun) { [self] call in
                let id = try call.parameter(.id, of: "run")
                let run = try await call.body(of: BusRoutes.putRun)
                guard run.id.isExactly(id) else {
                    throw StoreError.invalid("$.id", "must be the identifier in the path, '\(id)'")
                }
                try run.check()
                try await chaosRuns.put(run)
                return .noContent
            },
        ]
    }
}
