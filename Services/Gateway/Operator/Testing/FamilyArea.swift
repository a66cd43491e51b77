import BusService
import GatewayEdge
import StoreHTTP
import StoreModels

/// The routes by which the operator makes, lists, changes and ends families.
struct FamilyArea: Area {
    let services: ServiceCaller
    let directories: Directories

    var routes: [Route] {
        [
            services.forward(FamilyRoutes.list, to: PaymentEndpoints.listFamilies) { call in
                FamiliesRequest(
                    bundleId: try await directories.existingApp(call), after: try call.after(),
                    limit: try call.limit(HTTPLimits.adminPageMax))
            },
            services.forward(FamilyRoutes.put, to: PaymentEndpoints.putFamily, else: .sameAgainTells) { call, body in
                PutFamilyRequest(
                    bundleId: try await directories.existingApp(call), family: try family(call),
                    organiser: body.organiser)
            },
            services.forward(FamilyRoutes.end, to: PaymentEndpoints.endFamily, else: Self.listTells) { call in
                EndFamilyRequest(bundleId: try call.bundleId(), family: try family(call))
            },
            services.forward(
                FamilyRoutes.putMember, to: PaymentEndpoints.putFamilyMember, else: .sameAgainTells
            ) { call, body in
                PutFamilyMemberRequest(
                    bundleId: try call.bundleId(), family: try family(call), account: try call.account().id,
                    sharing: body)
            },
            services.forward(
                FamilyRoutes.removeMember, to: PaymentEndpoints.removeFamilyMember, else: Self.listTells
            ) { call in
                RemoveFamilyMemberRequest(
                    bundleId: try call.bundleId(), family: try family(call), account: try call.account().id)
            },
        ]
    }

    private static let listTells: UnknownOutcome = "the list of families shows whether it was changed"

    /// The family that the path names.
    private func family(_ call: Call) throws(StoreError) -> String {
        let name = try call.parameter(.family, of: "family")
        try Identifier.check(name, at: "family", lengthMax: Family.nameMax)
        return name
    }
}

extension NewFamily: CheckedBody {
    package func validate() throws(StoreError) {
        try Identifier.check(organiser, as: .account, at: "$.organiser")
    }
}
