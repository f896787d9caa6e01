// Imports the modules that its arguments name, one after the other. A line ends the output of each.
const [end, ...files] = process.argv.slice(2);
for (const file of files) {
  await import(file);
  console.log(end);
}
