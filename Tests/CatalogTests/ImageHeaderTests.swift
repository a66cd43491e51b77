import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

/// Goal: what an image is, is read from its first bytes (M66). Method: files made byte by byte, whole, cut and spoilt.
@Suite struct ImageHeaderTests {
    @Test func `M66 a PNG says how large it is in its first chunk`() {
        let header = ImageHeader(ImageBuilder.png(width: 800, height: 70_000))
        #expect(header == ImageHeader(format: .png, width: 800, height: 70_000))
        #expect(header?.description == "800×70000, PNG")
        #expect(ImageHeader(Array(ImageBuilder.png().prefix(33)))?.width == 1024)
    }

    @Test(arguments: [0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC9, 0xCF] as [UInt8])
    func `M66 a JPEG says it in its first frame header, of any kind`(_ marker: UInt8) {
        let header = ImageHeader(ImageBuilder.jpeg(width: 640, height: 1024, frame: marker))
        #expect(header == ImageHeader(format: .jpeg, width: 640, height: 1024))
        #expect(header?.description == "640×1024, JPEG")
    }

    @Test func `M66 what comes before a frame header is passed over, large or small`() {
        // Huffman tables and arithmetic conditioning lie between the frame markers; a profile may be as long as can be.
        let before: [(UInt8, Int)] = [(0xE1, 65_533), (0xE2, 65_533), (0xC4, 30), (0xC8, 3), (0xCC, 2), (0xFE, 0)]
        #expect(ImageHeader(ImageBuilder.jpeg(before: before))?.width == 1024)
        // Fill bytes, and markers without a length.
        let plain = ImageBuilder.jpeg(before: [])
        for filling in [[0xFF, 0xFF, 0xFF], [0xFF, 0x01], [0xFF, 0xD3, 0xFF, 0xFF]] as [[UInt8]] {
            #expect(ImageHeader(plain[..<2] + filling + plain[2...])?.height == 1024)
        }
    }

    @Test func `M66 what is no image, or does not say how large it is, is nothing`() {
        #expect(ImageHeader([]) == nil)
        #expect(ImageHeader(Array("GIF89a".utf8) + [0, 4, 0, 4]) == nil)
        #expect(ImageHeader(Array("<svg width=\"1024\" height=\"1024\"/>".utf8)) == nil)
        // Pixels or the end before a frame header.
        #expect(ImageHeader([0xFF, 0xD8, 0xFF, 0xD9]) == nil)
        #expect(ImageHeader([0xFF, 0xD8, 0xFF, 0xDA, 0, 2]) == nil)
        // Another chunk first, or one of another length.
        var png = ImageBuilder.png()
        png[12] = UInt8(ascii: "i")
        #expect(ImageHeader(png) == nil)
        png = ImageBuilder.png()
        png[11] = 12
        #expect(ImageHeader(png) == nil)
        // A segment that is shorter than its own length, and a frame header that has no room for a size.
        #expect(ImageHeader([0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 0xFF, 0xC0, 0, 17, 8, 4, 0, 4, 0]) == nil)
        #expect(ImageHeader([0xFF, 0xD8, 0xFF, 0xC0, 0, 7, 8, 4, 0, 4, 0, 3]) == nil)
    }

    @Test func `M66 a file that is cut before its size is nothing, at every length`() {
        for count in 0..<33 { #expect(ImageHeader(Array(ImageBuilder.png().prefix(count))) == nil) }
        let jpeg = ImageBuilder.jpeg()
        let needed = 2 + 18 + 2 + 7
        for count in 0..<needed { #expect(ImageHeader(Array(jpeg.prefix(count))) == nil) }
        #expect(ImageHeader(Array(jpeg.prefix(needed)))?.width == 1024)
    }

    @Test func `bytes by chance, behind both beginnings, never trap`() {
        var random = SplitMix64.seeded()
        for _ in 0..<5_000 {
            let noise = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                // Many markers, so that segments follow one another.
                Bool.random(using: &random) ? 0xFF : UInt8.random(in: 0...255, using: &random)
            }
            for start in [[0xFF, 0xD8], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]] as [[UInt8]] {
                let header = ImageHeader(start + noise)
                #expect((header?.width ?? 0) >= 0 && (header?.height ?? 0) >= 0)
            }
        }
    }
}
