import ArgumentParser
import FoundationEssentials
import Signing
import StoreHTTP
import StoreModels

/// `storebus ca …`
struct CertificatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "ca", "The certificates that sign receipts, transactions and notifications.",
        """
        storebus ca root --out root.pem
        storebus ca show
        storebus ca issue transaction 2000000000000001 --break tampered
        storebus ca ocsp revoked
        storebus ca rotate leaf
        """, subcommands: [Show.self, Root.self, Issue.self, OCSP.self, Rotate.self])

    /// `storebus ca show`
    struct Show: ContextCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "show", "Show the certificate chain and the OCSP responder's answer.", "storebus ca show")

        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            context.print(try SigningReport(try await context.api.call(SigningRoutes.get)).result)
        }
    }

    /// `storebus ca root`
    struct Root: ContextCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "root", "Print the root certificate, which verifiers have to trust.",
            """
            storebus ca root > root.pem
            storebus ca root --out root.cer

            PEM, or DER for a file that ends in .cer or .der.
            """)

        @Option("Write it to this file, in place of one that is there.", "file", .file()) var out: String?
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            guard let out else {
                let pem = String(decoding: try await context.api.bytes(ReceiptRoutes.root), as: UTF8.self)
                return context.print(pem, data: ["root": .string(pem)])
            }
            let isDER = [".cer", ".der"].contains { out.lowercased().hasSuffix($0) }
            let path = context.path(out)
            let root = try await context.api.bytes(
                ReceiptRoutes.root, accept: isDER ? "application/pkix-cert" : nil)
            try FileAccess.write(root, to: path, mode: 0o644)
            context.print(
                "written  \(out)\n", data: ["path": .string(path)], names: [path], next: "storebus trust")
        }
    }

    /// `storebus ca issue`
    struct Issue: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            "issue", "Sign a payload with changes, or wrongly, for tests that have to refuse it.",
            """
            storebus ca issue transaction 2000000000000001
            storebus ca issue transaction 2000000000000001 --set price=1 --break tampered
            storebus ca issue notification 3f2a1c9e-0000-5000-8000-000000000001 --break root | storebus verify -

            --set replaces a member of the payload: the value is JSON if it can be, else text, and null removes the \
            member. --break: \(BrokenSignature.listed).
            """)

        @Argument("\(IssueRequest.Kind.listed).", "kind", .list(IssueRequest.Kind.rawValues)) var kind: String
        @Argument("The transaction, or the UUID of the notification.", "of", Completion.transactions) var of: String
        @Option("Replace a member of the payload.", "name=value") var set: [String] = []
        @Option("How the signature is wrong.", "way", .list(BrokenSignature.rawValues), name: .customLong("break"))
        var wrong: String?
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            try Choice.check("KIND", kind, among: IssueRequest.Kind.rawValues)
            try Choice.check("--break", wrong, among: BrokenSignature.rawValues)
        }

        func run() async throws {
            guard let kind = IssueRequest.Kind(rawValue: kind) else { return }
            let members = try PayloadMembers(set)
            let context = try await CommandContext.find(options, app: app)
            let body = IssueRequest(
                kind: kind, of: of, set: members.isEmpty ? nil : members.values,
                break: wrong.flatMap(BrokenSignature.init))
            let jws = try await DidYouMean.replacing(.notFound) { () throws(CLIError) in
                try await context.api.call(SigningRoutes.issue, [.bundleId: context.bundleId], body: body).jws
            } better: { failure in
                let list: Advice = kind == .notification ? "storebus notifications list" : "storebus tx list"
                return failure.with(message: "\(failure.message): '\(of)'", hints: ["all of them: \(list)"])
            }
            // No next command, because the output mostly goes into a pipe.
            context.print(jws + "\n", data: ["jws": .string(jws)])
        }
    }

    /// `storebus ca ocsp`
    struct OCSP: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            "ocsp", "Set the OCSP responder's answer about every certificate.",
            """
            storebus ca ocsp revoked
            storebus ca ocsp good

            \(OCSPMode.listed).
            """)

        @Argument("The answer.", "answer", .list(OCSPMode.rawValues)) var mode: String
        @OptionGroup var global: GlobalOptions

        func validate() throws { try Choice.check("ANSWER", mode, among: OCSPMode.rawValues) }

        func run() async throws {
            guard let mode = OCSPMode(rawValue: mode) else { return }
            let context = try CommandContext.find(global)
            context.print(
                try SigningReport(try await context.api.call(SigningRoutes.ocsp, body: OCSPSetting(mode: mode))).result)
        }
    }

    /// `storebus ca rotate`
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            "rotate", "Make a new leaf, or intermediate and leaf, with new keys.",
            """
            storebus ca rotate leaf
            storebus ca rotate intermediate

            Existing signatures stay valid, and the root stays.
            """)

        @Argument("leaf or intermediate.", "certificate", .list(CertificateRotation.rawValues)) var certificate: String
        @OptionGroup var global: GlobalOptions

        func validate() throws { try Choice.check("CERTIFICATE", certificate, among: CertificateRotation.rawValues) }

        func run() async throws {
            guard let authority = CertificateRotation(rawValue: certificate) else { return }
            let context = try CommandContext.find(global)
            context.print(
                try SigningReport(
                    try await context.api.call(SigningRoutes.rotate, body: RotateRequest(authority: authority))
                ).result)
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
        let certificates = zip(Self.roles, chain).map { role, certificate -> JSONValue in
            [
                "certificate": .string(role), "name": .string(certificate.subject),
                "validUntil": .string("\(certificate.notValidAfter)"),
            ]
        }
        return JSONText.value(response).with(["certificates": .array(certificates)])
    }

    var result: CommandResult {
        CommandResult(
            data: data, names: chain.map(\.subject), next: "storebus ca root --out root.pem"
        ) { [chain, ocsp = response.ocsp] style in
            let table = Table(["CERTIFICATE", "NAME", "VALID UNTIL"], zip(Self.roles, chain)) { role, certificate in
                [role, certificate.subject, Format.time(certificate.notValidAfter)]
            }
            let fields: FieldList = ["ocsp": "\(ocsp.mode.rawValue)\(ocsp.url.map { ", at \($0)" } ?? "")"]
            return table.text(style) + "\n" + fields.text(style)
        }
    }
}
