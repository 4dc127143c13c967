import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  changelogWith,
  isNewer,
  replaceLockVersion,
  replaceVersion,
  sectionOf,
} from "../../tools/release-text.ts";
import { root } from "../../tools/stages.ts";

describe("a release", () => {
  const changelog = "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.1.0 (2026-01-02)\n\n- old\n";

  it("moves the unreleased entries of the changelog under its version", () => {
    const text = changelogWith(changelog, "0.2.0", "2026-03-04") ?? "";
    assert.equal(sectionOf(text, "0.2.0"), "- new");
    assert.equal(sectionOf(text, "0.1.0"), "- old");
    assert.match(text, /^## Unreleased\n\n## 0\.2\.0 \(2026-03-04\)$/m);
  });

  it("without unreleased entries changes no changelog", () => {
    const text = changelogWith(changelog, "0.2.0", "2026-03-04") ?? "";
    assert.equal(changelogWith(text, "0.3.0", "2026-03-05"), undefined);
  });

  it("has a version after the one before, by numbers", () => {
    assert.ok(isNewer("0.10.0", "0.9.9"));
    assert.ok(isNewer("1.0.0", "0.9.9"));
    for (const version of ["0.9.9", "0.9.8", "0.9", "v1.0.0", "1.0.0-beta", "01.0.0"]) {
      assert.ok(!isNewer(version, "0.9.9"), version);
    }
  });

  it("changes names of the tarball, the image and the chart, and no other numbers", () => {
    const text = "setpoint-0.1.0.tgz setpoint:0.1.0\nversion: 0.1.0\ncidr 10.1.0.0 other-0.1.0\n";
    const wanted = "setpoint-0.2.0.tgz setpoint:0.2.0\nversion: 0.2.0\ncidr 10.1.0.0 other-0.1.0\n";
    assert.equal(replaceVersion(text, "0.1.0", "0.2.0"), wanted);
    assert.equal(replaceVersion("setpoint-0.1.01", "0.1.0", "0.2.0"), "setpoint-0.1.01");
  });

  it("changes its own version in the lock file, and the rest stays byte for byte", () => {
    const text = readFileSync(join(root, "package-lock.json"), "utf8");
    const { version } = JSON.parse(text) as { readonly version: string };
    const changed = replaceLockVersion(text, "99.0.0");
    assert.equal(changed.split('"99.0.0"').length, 3);
    assert.equal(replaceLockVersion(changed, version), text);
  });
});
