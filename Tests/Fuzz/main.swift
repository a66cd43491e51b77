import Glibc

// libFuzzer brings a `main` of its own, and so does Swift; therefore its driver is called from ours. The target is
// named in the environment rather than by an argument, because libFuzzer starts itself again for some of its options.

/// What libFuzzer calls with each input.
typealias FuzzEntry = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

/// libFuzzer's driver, from the runtime that `-sanitize=fuzzer` links.
@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ entry: FuzzEntry
) -> CInt

let entries: [String: FuzzEntry] = [
    "delivery": { DeliveryTarget.run(FuzzInput.bytes($0, $1)) },
    "frame": { FrameTarget.run(FuzzInput.bytes($0, $1)) },
    "header": { HeaderTarget.run(FuzzInput.bytes($0, $1)) },
    "subject": { SubjectTarget.run(FuzzInput.bytes($0, $1)) },
]

guard let name = getenv("FUZZ_TARGET").map({ String(cString: $0) }), let entry = entries[name] else {
    FuzzInput.say(
        "usage: FUZZ_TARGET=\(entries.keys.sorted().joined(separator: "|")) Fuzz [libFuzzer options] [corpus]")
    exit(64)
}
var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(runDriver(&count, &arguments, entry))
