#!/usr/bin/env python3
"""Writes the formats of prices and periods, and what the tests compare them with, from the system's ICU.

usage: locale-formats.py

ICU has its data from the Unicode CLDR. Needs its libraries (Debian: libicu72 or newer) and nothing else. The table keeps
the parts from which the engine makes texts; the samples of the tests are whole texts, as ICU makes them.
"""

import ctypes
import glob
import pathlib
import re
import unicodedata

# The languages of App Store Connect, their regions with other formats, and a few languages of other storefronts.
LOCALES = """
    en en_001 en_AU en_CA en_GB en_IE en_IN en_NZ en_SG en_HK en_ZA
    ar ar_AE ar_EG ar_SA bg bn ca cs da de de_AT de_CH el
    es es_419 es_AR es_CL es_CO es_MX es_PE es_US et fa fi fr fr_BE fr_CA fr_CH gu he hi hr hu id it it_CH ja kk kn ko
    lt lv ml mr ms nb nl nl_BE or pa pl pt pt_PT ro ru sk sl sr sv sw ta te th tr uk ur vi zh zh_Hant zh_Hant_HK
""".split()
# The currencies of the App Store's storefronts.
CURRENCIES = """
    AED AUD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR JPY KRW KWD KZT MXN MYR NGN NOK NZD PEN PHP PKR
    PLN QAR RON RUB SAR SEK SGD THB TRY TWD TZS USD VND ZAR
""".split()
SOURCE = "Sources/StorekeeperEngine/Localization/LocaleFormat+Table.swift"
SAMPLES = "Tests/StorekeeperTests/Localization/samples.tsv"
# The amounts and lengths of the samples.
PRICES = [(code, "1234.5") for code in CURRENCIES] + [
    ("EUR", "0.99"), ("EUR", "5"), ("USD", "9.99"), ("USD", "99999.99"), ("JPY", "1234567"), ("XTS", "1.005"),
    ("KWD", "12.3456")]
COUNTS = [1, 2, 3, 5, 11, 14, 21, 100, 101, 111]
HEAD = """\
extension LocaleFormat {{
    /// The formats of each locale, as far as they differ from those of its parent.
    ///
    /// Written by `Scripts/locale-formats.py` from ICU {version}. The data are those of the Unicode CLDR, which is
    /// copyright Unicode, Inc., and used under the Unicode License V3.
    ///
    /// The fields of a line: the locale; its parent; the decimal separator; the group separator; the digit zero; the
    /// digits of the last group, of the other groups, and the digits before a first separator; the pattern of prices;
    /// the symbols of currencies; the texts of days, weeks, months and years, by category of plural.
    ///
    /// - SeeAlso: Unicode Technical Standard #35, "Unicode Locale Data Markup Language".
    static let table = """ + '"""' + "\n"
MIDDLE = "        " + '"""' + """

    /// The currencies whose prices have another number of decimals than two.
    static let decimals = """ + '"""' + "\n"
TAIL = "        " + '"""' + """
}
"""
# Regions that inherit from another locale than their language.
PARENTS = {"en_001": "en", "es_419": "es", "zh_Hant": "root", "zh_Hant_HK": "zh_Hant"}
UNITS = [("D", "day"), ("W", "week"), ("M", "month"), ("Y", "year")]
# Enough numbers to meet every category that whole numbers have.
NUMBERS = [*range(1, 201), 1000, 1001, 1002, 1005, 100000]

UNUM_CURRENCY = 2
WIDE = "unit-width-full-name group-off"


class ICU:
    def __init__(self):
        path = sorted(glob.glob("/usr/lib/*/libicui18n.so.*"), key=lambda name: len(name))[0]
        self.version = re.search(r"\.so\.(\d+)", path)[1]
        self.i18n = ctypes.CDLL(path)
        self.common = ctypes.CDLL(path.replace("i18n", "uc"))

    def function(self, name, result=ctypes.c_int32):
        library = self.i18n if hasattr(self.i18n, f"{name}_{self.version}") else self.common
        found = getattr(library, f"{name}_{self.version}")
        found.restype = result
        return found

    def text(self, name, *arguments):
        """Calls a function that fills a buffer of UTF-16."""
        buffer = ctypes.create_string_buffer(512)
        status = ctypes.c_int32(0)
        length = self.function(name)(*arguments, buffer, 256, ctypes.byref(status))
        if status.value > 0:
            raise SystemExit(f"{name} failed: {status.value}")
        return buffer.raw[: 2 * length].decode("utf-16-le")

    def opened(self, name, *arguments):
        status = ctypes.c_int32(0)
        pointer = self.function(name, ctypes.c_void_p)(*arguments, ctypes.byref(status))
        if status.value > 0 or not pointer:
            raise SystemExit(f"{name} failed: {status.value}")
        return ctypes.c_void_p(pointer)


def utf16(text):
    return ctypes.create_string_buffer((text + "\0").encode("utf-16-le"))


icu = ICU()


def formats(locale):
    name = locale.encode()
    style = icu.opened("unum_open", UNUM_CURRENCY, None, 0, name, None)
    pattern = icu.text("unum_toPattern", style, False).split(";")[0]
    symbol = {key: icu.text("unum_getSymbol", style, number) for key, number in [
        ("decimal", 10), ("group", 17), ("zero", 4)]}
    number = re.search(r"[#0,.]+", pattern)
    groups = number[0].split(".")[0].split(",")
    sizes = [len(groups[-1]), len(groups[-2]) if len(groups) > 2 else len(groups[-1])]
    minimum = 1 if any(not character.isdigit() for character in formatted(name, "", "1234")) else 2
    symbols = {}
    for currency in CURRENCIES:
        is_choice, length, status = ctypes.c_int8(0), ctypes.c_int32(0), ctypes.c_int32(0)
        pointer = icu.function("ucurr_getName", ctypes.c_void_p)(
            utf16(currency), name, 0, ctypes.byref(is_choice), ctypes.byref(length), ctypes.byref(status))
        symbols[currency] = ctypes.string_at(pointer, 2 * length.value).decode("utf-16-le")
    return {
        **symbol,
        "sizes": f"{sizes[0]},{sizes[1]},{minimum}",
        "pattern": pattern[: number.start()] + "0" + pattern[number.end():],
        "symbols": symbols, "units": {letter: unit(name, word) for letter, word in UNITS}}


def formatted(name, skeleton, number):
    """Formats a decimal number as ICU's formatter does by a skeleton."""
    style = icu.opened("unumf_openForSkeletonAndLocale", utf16(skeleton), len(skeleton), name)
    result = icu.opened("unumf_openResult")
    status = ctypes.c_int32(0)
    icu.function("unumf_formatDecimal", None)(style, number.encode(), -1, result, ctypes.byref(status))
    if status.value > 0:
        raise SystemExit(f"{skeleton} failed: {status.value}")
    text = icu.text("unumf_resultToString", result)
    icu.function("unumf_closeResult", None)(result)
    icu.function("unumf_close", None)(style)
    return text


def category(rules, number):
    buffer = ctypes.create_string_buffer(64)
    status = ctypes.c_int32(0)
    length = icu.function("uplrules_select")(rules, ctypes.c_double(number), buffer, 32, ctypes.byref(status))
    return buffer.raw[: 2 * length].decode("utf-16-le")


def unit(name, word):
    """Returns the text of each category of plural, with # for the number."""
    skeleton = f"measure-unit/duration-{word} {WIDE} numbering-system/latn"
    rules = icu.opened("uplrules_open", name)
    texts = {}
    for number in NUMBERS:
        key = category(rules, number)
        if key in texts:
            continue
        texts[key] = formatted(name, skeleton, str(number)).replace(str(number), "#")
    return texts


def rule(name):
    """The numbers of the categories, as the name of a known rule."""
    rules = icu.opened("uplrules_open", name.encode())
    return "".join({"zero": "z", "one": "1", "two": "2", "few": "f", "many": "m", "other": "o"}[category(rules, n)]
                   for n in NUMBERS)


def parent(locale):
    if locale in PARENTS:
        return PARENTS[locale]
    language, _, region = locale.partition("_")
    return {"en": "en_001", "es": "es_419"}.get(language, language) if region else "root"


def row(locale, own, base):
    """The fields of a locale that differ from those of its parent."""
    fields = [locale, parent(locale) if base else ""]
    for key in ["decimal", "group", "zero", "sizes", "pattern"]:
        fields.append("" if base and own[key] == base[key] else own[key])
    symbols = [f"{code}={text}" for code, text in own["symbols"].items()
               if text != (base["symbols"][code] if base else code)]
    fields.append(";".join(symbols))
    for letter, _ in UNITS:
        same = base and own["units"][letter] == base["units"][letter]
        fields.append("" if same else ";".join(f"{key}={text}" for key, text in own["units"][letter].items()))
    return "|".join(fields)


def escaped(text):
    """A text for a Swift literal: invisible blanks and marks as their numbers."""
    def is_plain(character):
        return character == " " or unicodedata.category(character) not in ("Zs", "Cf", "Cc") and character != "\\"
    return "".join(c if is_plain(c) else f"\\u{{{ord(c):X}}}" for c in text)


def wrapped(text):
    """The lines of a text, broken after its separators so that they fit the width of the sources."""
    lines, line = [], ""
    for part in re.split(r"(?<=[|;])", escaped(text)):
        if line and len(line) + len(part) > 104:
            lines.append(line + "\\")
            line = ""
        line += part
    return [*lines, line]


def source(known):
    rows = [row("root", known["root"], None)] + [row(name, known[name], known[parent(name)]) for name in LOCALES]
    digits = [f"{code}={number}" for code, number in sorted(fraction_digits().items()) if number != 2]
    lines = [line for text in rows for line in wrapped(text)]
    return HEAD.format(version=icu.version) + "".join(f"        {line}\n" for line in lines) + MIDDLE + "".join(
        f"        {line}\n" for line in wrapped(";".join(digits))) + TAIL


def fraction_digits():
    status, count = ctypes.c_int32(0), ctypes.c_int32(0)
    codes = icu.opened("ucurr_openISOCurrencies", ctypes.c_uint32(0x7FFFFFFF))
    digits = {}
    while code := icu.function("uenum_next", ctypes.c_char_p)(codes, ctypes.byref(count), ctypes.byref(status)):
        found = icu.function("ucurr_getDefaultFractionDigits")(utf16(code.decode()), ctypes.byref(status))
        digits[code.decode()] = found
    return digits


def samples(known):
    """What ICU itself writes: a line a locale and kind, for the tests."""
    lines = []
    for name in known:
        if name == "root":
            continue
        prices = [formatted(name.encode(), f"currency/{code}", amount) for code, amount in PRICES]
        periods = [formatted(name.encode(), f"measure-unit/duration-{word} {WIDE}", str(number))
                   for _, word in UNITS for number in COUNTS]
        lines.append("\t".join([name, "prices", *prices]))
        lines.append("\t".join([name, "periods", *periods]))
    head = ["", "prices", *[f"{code} {amount}" for code, amount in PRICES]], [
        "", "periods", *[f"P{number}{letter}" for letter, _ in UNITS for number in COUNTS]]
    return "".join(line + "\n" for line in ["\t".join(fields) for fields in head] + lines)


if __name__ == "__main__":
    known = {name: formats(name) for name in ["root", *LOCALES]}
    root = pathlib.Path(__file__).resolve().parent.parent
    (root / SOURCE).write_text(source(known), encoding="utf-8")
    (root / SAMPLES).write_text(samples(known), encoding="utf-8")
