const bcrypt = require('{package}');
(async () => {
const password = '{password}';
{snippet}
console.log(hash);
console.log(await bcrypt.compare(password, hash));
})();
