/** git's base85 of a binary patch, a second time: 52 bytes a line. */
export function base85(data: Buffer): string {
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
  let text = "";
  for (let at = 0; at < data.length; at += 52) {
    const line = data.subarray(at, at + 52);
    const padded = Buffer.concat([line, Buffer.alloc((4 - (line.length % 4)) % 4)]);
    text += String.fromCharCode(line.length <= 26 ? 0x40 + line.length : 0x46 + line.length);
    for (let word = 0; word < padded.length; word += 4) {
      let value = padded.readUInt32BE(word);
      let group = "";
      for (let digit = 0; digit < 5; digit += 1, value = Math.floor(value / 85)) group = (alphabet[value % 85] ?? "") + group;
      text += group;
    }
    text += "\n";
  }
  return text;
}
