import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCheck } from "./formats.ts";

/** What a Kubernetes API server takes, and what it refuses. */
const samples: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
  uri: [
    ["*", "/a b", "http:", "mailto:x", "http://[::1]:80/", "http://u:p@h/", "/a?b#c"],
    ["", "a/b", "http://a b/", "/%zz", "http://a:b/", "http://h%41/", ":a", "?a"],
  ],
  email: [
    ["a@b", "A. B. <a@b>", '"a b"@c', "a@[1.2.3.4]", "é@b.c", "a@b (comment)"],
    ["", "a", "a@@b", ".a@b", "a@b.", "a@b,c@d", "A <a@b> x", '""@b'],
  ],
  hostname: [
    ["a", "a.com", "1.com", "🙂.com", "a-b"],
    ["", "-a", "a--b", "a_b", "a.b", "a.com.", "x".repeat(65)],
  ],
  ipv4: [
    ["1.2.3.4", "01.2.3.4", "::ffff:1.2.3.4"],
    ["", "256.1.1.1", "1.2.3", "::1"],
  ],
  ipv6: [
    ["::", "1::", "1:2:3:4:5:6:7:8", "::1.2.3.4"],
    ["", ":1", "1::2::3", "fe80::1%en0"],
  ],
  cidr: [
    ["1.2.3.4/8", "::/128", "1.2.3.4/08"],
    ["1.2.3.4", "1.2.3.4/33", "/8", "1.2.3.4/+8"],
  ],
  mac: [
    ["01:02:03:04:05:06", "0102.0304.0506"],
    ["01:02-03:04:05:06", "010203040506"],
  ],
  uuid: [["123e4567-e89b-12d3-a456-426614174000", "123E4567e89b12d3a456426614174000"], ["x"]],
  uuid4: [["123e4567-e89b-42d3-a456-426614174000"], ["123e4567-e89b-12d3-a456-426614174000"]],
  isbn: [
    ["0321751043", "978-0321751041", "097522980X"],
    ["1", "0321751044"],
  ],
  creditcard: [["4111-1111-1111-1111"], ["4111111111111112"]],
  ssn: [["123-45-6789"], ["123456789"]],
  hexcolor: [["#FFF", "ffffff"], ["#FFFF"]],
  rgbcolor: [
    ["rgb(1,2,3)", "rgb( 1 , 2 , 255 )"],
    ["rgb(256,0,0)", "rgb(1,2)"],
  ],
  byte: [
    ["aGk=", "aGkx"],
    ["", "aGk", "a===", "a-_="],
  ],
  date: [
    ["2020-02-29", "0000-01-01"],
    ["2021-02-29", "2020-1-1", "2020-13-01"],
  ],
  "date-time": [
    ["2020-01-01T00:00:00Z", "2020-01-01t00:00:00.5z", "2020-01-01T00:00:00+99:99"],
    ["2020-01-01T24:00:00Z", "2020-01-01T00:00:00", "2020-02-30T00:00:00Z"],
  ],
  duration: [
    ["0", "1h30m", "-5s", "5 minutes", "3 weeks", "1d", ".5s", "1.5h", "2.s", "12 3s", "0005 min"],
    ["", "5", "x", "5 x", "99999999999999999999 s", "1.2.3x", "9223372036854775808 s"],
  ],
  bsonobjectid: [["507f1f77bcf86cd799439011"], ["507f1f77bcf86cd79943901"]],
  password: [["", "x"], []],
};

test("formats take what Kubernetes takes, and nothing else", () => {
  for (const [format, [good, bad]] of Object.entries(samples)) {
    const check = formatCheck(format);
    for (const text of good) assert.equal(check?.(text), true, `${format}: ${text}`);
    for (const text of bad) assert.equal(check?.(text), false, `${format}: ${text}`);
  }
});

test("unknown formats are documentation, and dashes do not matter", () => {
  assert.equal(formatCheck("int32"), undefined);
  assert.equal(formatCheck("foo"), undefined);
  assert.equal(formatCheck("datetime"), formatCheck("date-time"));
});
