import BusService
import Persistence
import StoreModels

/// Handles `prompt.list` and `prompt.answer`: paid apps that wait to be bought for a device (M72).
struct AppPromptService: Sendable {
    /// Maximum number of prompts in one page.
    static let pageMax = 100
    /// The feedback of intents that the store cancels because the app was not bought.
    static let refusalFeedback = "the app was not bought"

    let database: any SQLDatabase
    let times: AppTimes

    /// Lists open prompts.
    /// - Throws: `requestInvalid`.
    func list(_ request: PromptsRequest) async throws -> PromptsPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        let rows = try await database.read { reader in
            try await AppPromptRepository.list(request, limit: request.limit + 1, in: reader)
        }
        let page = rows.prefix(request.limit).map(\.prompt)
        return PromptsPage(prompts: page, after: page.count == rows.count ? nil : page.last?.id)
    }

    /// Answers a prompt. The first answer counts.
    ///
    /// `approve` installs the app without a launch, and the others cancel its waiting intents.
    /// - Throws: `notFound` for an answered or unknown prompt, or `requestInvalid` for an error, because payments do
    ///   not fail here.
    func answer(_ request: AnswerPromptRequest, deadline: ContinuousClock.Instant) async throws -> Prompt {
        guard request.error == nil else { throw DeviceRules.invalid("$.error", "an app's purchase has no error") }
        let missing = StoreError(.notFound, "no such prompt; it may have been answered")
        guard let found = try await database.read({ try await AppPromptRepository.find(request.prompt, in: $0) }) else {
            throw missing
        }
        let now = try await times.now(of: found.installation.bundleId, deadline: deadline)
        return try await database.write { transaction in
            _ = try await DeviceRepository.lock(found.installation.device, in: transaction)
            guard try await AppPromptRepository.remove(found.id, in: transaction) else { throw missing }
            switch request.answer {
            case .approve: try await install(found, in: transaction)
            case .cancel, .decline: try await cancel(found, IntentTransaction(transaction: transaction, now: now))
            }
            return found.prompt
        }
    }

    /// Installs the app, which also removes the prompts of other accounts.
    private func install(_ prompt: StoredAppPrompt, in transaction: SQLTransaction) async throws {
        if try await InstallationRepository.find(prompt.installation, in: transaction) == nil {
            try await InstallationRepository.install(prompt.installation, version: prompt.version, in: transaction)
        }
        try await AppPromptRepository.removeAll(of: prompt.installation, in: transaction)
    }

    private func cancel(_ prompt: StoredAppPrompt, _ commit: IntentTransaction) async throws {
        let open = try await IntentRepository.lockOpen(of: prompt.installation, in: commit.transaction)
        for intent in open where intent.promptId == prompt.id {
            let settled = try await commit.settle(intent)
            guard !settled.life.state.isFinal else { continue }
            _ = try await commit.apply(.decided(.cancel, feedback: Self.refusalFeedback), to: settled)
        }
    }
}
