// Imports modules one after another, and prints a line after the output of each. The first argument
// is that line; the others are the modules.
const [end, ...files] = process.argv.slice(2);
for (const file of files) {
  await import(file);
  console.log(end);
}
