import Glibc
import StoreModels

/// Imports files again when they change, until Ctrl-C. A file that is refused leaves the catalogue in force as it was.
struct CatalogWatch: Sendable {
    let imports: [CatalogImport]
    let context: CommandContext

    /// Editors save in several steps; what has been quiet for this long is looked at.
    private static let pause = Duration.milliseconds(300)

    /// Enough to see that a file is another one: when it was written, how large it is, which file it is.
    private struct Stamp: Hashable {
        var seconds: Int
        var nanoseconds: Int
        var size: Int64
        var node: UInt64
    }

    func run() async throws(CLIError) {
        var seen = imports.map { stamp($0.file) }
        context.narrate("watching \(imports.map(\.file).joined(separator: ", ")); Ctrl-C ends\n")
        while !Task.isCancelled {
            try? await ContinuousClock().sleep(for: Self.pause)
            for index in imports.indices {
                let now = stamp(imports[index].file)
                guard let now, now != seen[index] else { continue }
                seen[index] = now
                await again(imports[index])
            }
        }
    }

    private func again(_ one: CatalogImport) async {
        do throws(CLIError) {
            context.print(CatalogImport.answer([(one, try await one.run(context))]))
        } catch {
            let error = error.completed(context.environment.printed)
            context.console.narrate(context.format.isJSON ? error.json + "\n" : error.text)
        }
    }

    private func stamp(_ file: String) -> Stamp? {
        var information = stat()
        guard stat(file, &information) == 0 else { return nil }
        return Stamp(
            seconds: information.st_mtim.tv_sec, nanoseconds: information.st_mtim.tv_nsec,
            size: Int64(information.st_size), node: UInt64(information.st_ino))
    }
}
