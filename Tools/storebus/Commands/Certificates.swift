import ArgumentParser
import Signing
import StoreHTTP
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `storebus ca …`
struct CertificatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca", abstract: "The certificates that sign receipts, transactions and notifications.",
        discussion: """
            storebus ca root --out root.pem
            storebus ca show
            storebus ca issue transaction 2000000000000001 --break tampered
            storebus ca ocsp revoked
            storebus ca rotate leaf
            """,
        subcommands: [Show.self, Root.self, Issue.self, OCSP.self, Rotate.self])

    /// `storebus ca show`
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the chain, and what the OCSP responder answers.",
            discussion: "storebus ca show")

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try CommandContext.find(global)
            context.print(try SigningReport(try await context.api.signing()).result)
        }
    }

    /// `storebus ca root`
    struct Root: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "root", abstract: "Print the root certificate, which verifiers have to trust.",
            discussion: """
                storebus ca root > root.pem
                storebus ca root --out root.cer

                PEM, or DER for a file that ends in .cer or .der.
                """)

        @Option(
            help: ArgumentHelp("Write it to this file, in place of one that is there.", valueName: "file"),
            completion: .file())
        var out: String?

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try CommandContext.find(global)
            guard let out else {
                let pem = String(decoding: try await context.api.rootCertificate(), as: UTF8.self)
                return context.print(CommandResult(pem, data: ["root": .string(pem)]))
            }
            let isDER = [".cer", ".der"].contains { out.lowercased().hasSuffix($0) }
            let path = context.path(out)
            try FileAccess.write(try await context.api.rootCertificate(asDER: isDER), to: path, mode: 0o644)
            context.print(
                CommandResult(
                    "written  \(out)\n", data: ["path": .string(path)], names: [path], next: "storebus trust"))
        }
    }

    /// `storebus ca issue`
    struct Issue: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "issue",
            abstract: "Sign a payload with changes, or wrongly, for tests that have to refuse it.",
            discussion: """
                storebus ca issue transaction 2000000000000001
                storebus ca issue transaction 2000000000000001 --set price=1 --break tampered
                storebus ca issue notification 3f2a1c9e-0000-5000-8000-000000000001 --break root | storebus verify -

                --set replaces a member of the payload: the value is JSON if it can be, else text, and null removes the \
                member. --break: \(BrokenSignature.allCases.map(\.rawValue).joined(separator: ", ")).
                """)

        @Argument(
            help: ArgumentHelp("\(Issue.kinds.joined(separator: ", ")).", valueName: "kind"),
            completion: .list(Issue.kinds))
        var kind: String

        @Argument(
            help: ArgumentHelp("The transaction, or the UUID of the notification.", valueName: "of"),
            completion: Completion.transactions)
        var of: String

        @Option(help: ArgumentHelp("Replace a member of the payload.", valueName: "name=value"))
        var set: [String] = []

        @Option(
            name: .customLong("break"), help: ArgumentHelp("How the signature is wrong.", valueName: "way"),
            completion: .list(BrokenSignature.allCases.map(\.rawValue)))
        var wrong: String?

        @OptionGroup var app: AppOptions
        @OptionGroup var global: GlobalOptions

        private static let kinds = IssueRequest.Kind.allCases.map(\.rawValue)

        func validate() throws {
            try Choice.check("KIND", kind, among: Self.kinds)
            try Choice.check("--break", wrong, among: BrokenSignature.allCases.map(\.rawValue))
        }

        func run() async throws {
            guard let kind = IssueRequest.Kind(rawValue: kind) else { return }
            let members = try PayloadMembers(set)
            let context = try await CommandContext.find(global, app: app)
            let jws = try await context.api.issue(
                IssueRequest(
                    kind: kind, of: of, set: members.isEmpty ? nil : members.values,
                    break: wrong.flatMap(BrokenSignature.init)), bundleId: context.bundleId)
            // No next command, because the output mostly goes into a pipe.
            context.print(CommandResult(jws + "\n", data: ["jws": .string(jws)]))
        }
    }

    /// `storebus ca ocsp`
    struct OCSP: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ocsp", abstract: "Choose what the OCSP responder answers about every certificate.",
            discussion: """
                storebus ca ocsp revoked
                storebus ca ocsp good

                \(OCSP.modes.joined(separator: ", ")).
                """)

        @Argument(help: ArgumentHelp("The answer.", valueName: "answer"), completion: .list(OCSP.modes))
        var mode: String

        @OptionGroup var global: GlobalOptions

        fileprivate static let modes = OCSPMode.allCases.map(\.rawValue)

        func validate() throws { try Choice.check("ANSWER", mode, among: Self.modes) }

        func run() async throws {
            guard let mode = OCSPMode(rawValue: mode) else { return }
            let context = try CommandContext.find(global)
            context.print(try SigningReport(try await context.api.setOCSPMode(mode)).result)
        }
    }

    /// `storebus ca rotate`
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate", abstract: "Make a new leaf, or intermediate and leaf, with new keys.",
            discussion: """
                storebus ca rotate leaf
                storebus ca rotate intermediate

                What was signed before stays good, and the root stays.
                """)

        @Argument(
            help: ArgumentHelp("leaf or intermediate.", valueName: "certificate"), completion: .list(Rotate.names))
        var certificate: String

        @OptionGroup var global: GlobalOptions

        private static let names = CertificateRotation.allCases.map(\.rawValue)

        func validate() throws { try Choice.check("CERTIFICATE", certificate, among: Self.names) }

        func run() async throws {
            guard let authority = CertificateRotation(rawValue: certificate) else { return }
            let context = try CommandContext.find(global)
            context.print(try SigningReport(try await context.api.rotateSigning(authority)).result)
        }
    }
}

/// The chain as a table, and the responder's mode.
private struct SigningReport {
    private let response: SigningResponse
    private let chain: [CertificateSummary]

    /// - Throws: `answerInvalid` for a chain that cannot be read.
    init(_ response: SigningResponse) throws(CLIError) {
        self.response = response
        do {
            chain = try response.chain.map { try CertificateSummary(der: Array(Data(base64Encoded: $0) ?? Data())) }
        } catch {
            throw CLIError(.answerInvalid, "the store's certificates cannot be read", hints: ["storebus status"])
        }
    }

    private static let roles = ["leaf", "intermediate", "root"]

    private var data: JSONValue {
        var members = JSONText.value(response).objectValue ?? [:]
        members["certificates"] = .array(
            zip(Self.roles, chain).map { role, certificate in
                [
                    "certificate": .string(role), "name": .string(certificate.subject),
                    "validUntil": .string("\(certificate.notValidAfter)"),
                ]
            })
        return .object(members)
    }

    var result: CommandResult {
        CommandResult(
            data: data, names: chain.map(\.subject), next: "storebus ca root --out root.pem"
        ) { [chain, ocsp = response.ocsp] style in
            var table = Table([.init("CERTIFICATE"), .init("NAME"), .init("VALID UNTIL")])
            for (role, certificate) in zip(Self.roles, chain) {
                table.add([role, certificate.subject, Format.time(certificate.notValidAfter)])
            }
            var fields = FieldList()
            fields.add("ocsp", "\(ocsp.mode.rawValue)\(ocsp.url.map { ", at \($0)" } ?? "")")
            return table.text(style) + "\n" + fields.text(style)
        }
    }
}
