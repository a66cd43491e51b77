import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a family has one organiser and at most six persons, and nobody is in two.
@Suite(.serialized) struct FamilyTests {
    @Test(arguments: Engine.allCases)
    func `a family is made, listed and ended`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            _ = try await store.customerApp("alice")
            _ = try await store.customerApp("bob")
            let made = try await store.makeFamily("smith", "alice")
            #expect(made.persons.map(\.account) == ["alice"])
            #expect(made.persons.first?.isOrganiser == true && made.persons.first?.sharesPurchases == true)
            // The same again changes nothing.
            #expect(try await store.makeFamily("smith", "alice") == made)
            let both = try await store.join("smith", "bob", shares: false)
            #expect(both.persons.map(\.account) == ["alice", "bob"])
            #expect(both.persons.last?.sharesPurchases == false && both.persons.last?.receivesPurchases == true)
            #expect(try await store.families() == [both])
            let changed = try await store.join("smith", "bob", receives: false)
            #expect(changed.persons.last?.sharesPurchases == false && changed.persons.last?.receivesPurchases == false)
            #expect(changed.persons.last?.joinedAt == both.persons.last?.joinedAt)
            #expect(try await store.leave("smith", "bob") == made)
            try await store.endFamily("smith")
            #expect(try await store.families() == [])
            // The name is free, and so are the persons.
            try await store.makeFamily("jones", "bob")
            try await store.makeFamily("smith", "alice")
            #expect(try await store.families(limit: 1).map(\.family) == ["jones"])
            #expect(try await store.families(after: "jones").map(\.family) == ["smith"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a person is in one family, and a family has six persons`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            for name in ["alice", "bob", "c1", "c2", "c3", "c4", "c5"] { _ = try await store.customerApp(name) }
            try await store.makeFamily("smith", "alice")
            try await store.makeFamily("jones", "bob")
            let taken = try await refusal { try await store.join("smith", "bob") }
            #expect(taken?.status == 422)
            #expect(taken?.message.contains("'bob' is in the family 'jones'; remove them there first") == true)
            let organises = try await refusal { try await store.makeFamily("third", "bob") }
            #expect(organises?.status == 422 && organises?.details["path"] == "$.organiser")
            let other = try await refusal { try await store.makeFamily("smith", "bob") }
            #expect(other?.message.contains("is not 'alice', who organises 'smith'") == true)
            for name in ["c1", "c2", "c3", "c4", "c5"] { try await store.join("smith", name) }
            try await store.endFamily("jones")
            let full = try await refusal { try await store.join("smith", "bob") }
            #expect(full?.status == 422 && full?.message.contains("'smith' has 6 persons; remove one first") == true)
            try await store.leave("smith", "c5")
            #expect(try await store.join("smith", "bob").persons.count == Family.personsMax)
        }
    }

    @Test(arguments: Engine.allCases)
    func `what is unknown is named`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            _ = try await store.customerApp("alice")
            let nobody = try await refusal { try await store.makeFamily("smith", "nobody") }
            #expect(nobody?.status == 422 && nobody?.message.contains("'nobody' is no customer of") == true)
            try await store.makeFamily("smith", "alice")
            let unknown = try await refusal { try await store.join("smith", "nobody") }
            #expect(unknown?.status == 422)
            let refusals = [
                try await refusal { try await store.join("jones", "alice") },
                try await refusal { try await store.leave("smith", "bob") },
                try await refusal { try await store.endFamily("jones") },
            ]
            for refused in refusals { #expect(refused?.code == .notFound) }
            let organiser = try await refusal { try await store.leave("smith", "alice") }
            #expect(organiser?.status == 422 && organiser?.message.contains("end the family") == true)
            let long = String(repeating: "f", count: Family.nameMax + 1)
            for name in [long, ""] {
                let refused = try await refusal { try await store.makeFamily(name, "alice") }
                #expect(refused?.code == .requestInvalid)
            }
        }
    }

    @Test func `an app has at most a thousand families`() async throws {
        try await TestStore.with(.sqlite) { store in
            _ = try await store.customerApp("last")
            try await store.database.write { transaction in
                for number in 0..<SharingRules.familiesPerAppMax {
                    try await transaction.execute(
                        """
                        INSERT INTO customer (
                            bundle_id, customer_identifier, account, storefront, app_transaction_number, opened_at,
                            created_at)
                        VALUES (?, ?, ?, 'USA', ?, 0, 0)
                        """, Catalogue.bundleId, "c_\(number)", "a\(number)", 1_000 + number)
                    try await transaction.execute(
                        """
                        INSERT INTO family_person (
                            bundle_id, customer_identifier, family, is_organiser, shares, receives, shares_since,
                            receives_since, joined_at, shared_seq)
                        VALUES (?, ?, ?, 1, 1, 1, 0, 0, 0, 0)
                        """, Catalogue.bundleId, "c_\(number)", "f\(number)")
                }
            }
            let tooMany = try await refusal { try await store.makeFamily("smith", "last") }
            #expect(tooMany?.status == 422 && tooMany?.message.contains("1000 families; end one") == true)
            try await store.endFamily("f0")
            try await store.makeFamily("smith", "last")
        }
    }
}

extension TestStore {
    @discardableResult
    func makeFamily(_ family: String, _ organiser: String) async throws -> Family {
        try await caller.call(
            PaymentEndpoints.putFamily,
            PutFamilyRequest(bundleId: Catalogue.bundleId, family: family, organiser: organiser))
    }

    @discardableResult
    func join(
        _ family: String, _ account: String, shares: Bool? = nil, receives: Bool? = nil
    ) async throws -> Family {
        try await caller.call(
            PaymentEndpoints.putFamilyMember,
            PutFamilyMemberRequest(
                bundleId: Catalogue.bundleId, family: family, account: account,
                sharing: FamilySharing(sharesPurchases: shares, receivesPurchases: receives)))
    }

    @discardableResult
    func leave(_ family: String, _ account: String) async throws -> Family {
        try await caller.call(
            PaymentEndpoints.removeFamilyMember,
            RemoveFamilyMemberRequest(bundleId: Catalogue.bundleId, family: family, account: account))
    }

    func endFamily(_ family: String) async throws {
        _ = try await caller.call(
            PaymentEndpoints.endFamily, EndFamilyRequest(bundleId: Catalogue.bundleId, family: family))
    }

    func families(after: String? = nil, limit: Int = 100) async throws -> [Family] {
        try await caller.call(
            PaymentEndpoints.listFamilies,
            FamiliesRequest(bundleId: Catalogue.bundleId, after: after, limit: limit)
        ).families
    }

    /// Sweeps until everything is shared as it is.
    func share() async throws {
        let sharing = current.service.sharing
        try await eventually("everything is shared") { try await sharing.sweep() == 0 }
    }
}
