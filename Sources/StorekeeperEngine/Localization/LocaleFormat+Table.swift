extension LocaleFormat {
    /// The formats of each locale that differ from the formats of its parent locale.
    ///
    /// Written by `Scripts/locale-formats.py` from ICU 72. The data are those of the Unicode CLDR, which is
    /// copyright Unicode, Inc., and used under the Unicode License V3.
    ///
    /// The fields of a line: the locale; its parent; the decimal separator; the group separator; the digit zero; the
    /// number of digits in the last group, in the other groups, and before the first separator; the pattern of prices;
    /// the symbols of currencies; the texts of days, weeks, months and years, by category of plural.
    ///
    /// - SeeAlso: Unicode Technical Standard #35, "Unicode Locale Data Markup Language".
    static let table = """
        root||.|,|0|3,3,1|¤\u{A0}0|AUD=A$;BRL=R$;CAD=CA$;CNY=CN¥;EUR=€;GBP=£;HKD=HK$;ILS=₪;INR=₹;JPY=JP¥;KRW=₩;\
        MXN=MX$;NZD=NZ$;PHP=₱;TWD=NT$;USD=US$;VND=₫|other=# d|other=# w|other=# m|other=# y
        en|root|||||¤0|JPY=¥;USD=$|one=# day;other=# days|one=# week;other=# weeks|one=# month;other=# months|\
        one=# year;other=# years
        en_001|en||||||JPY=JP¥;USD=US$||||
        en_AU|en_001||||||AUD=$;BRL=BRL;CAD=CAD;CNY=CNY;EUR=EUR;GBP=GBP;HKD=HKD;ILS=ILS;INR=INR;JPY=JPY;KRW=KRW;\
        MXN=MXN;NZD=NZD;PHP=PHP;TWD=TWD;USD=USD;VND=VND||||
        en_CA|en_001||||||CAD=$||||
        en_GB|en_001||||||||||
        en_IE|en_001||||||||||
        en_IN|en_001||||3,2,1||USD=$||||
        en_NZ|en_001||||||NZD=$||||
        en_SG|en_001||||||SGD=$||||
        en_HK|en_001||||||||||
        en_ZA|en_001|,|\u{A0}||||ZAR=R||||
        ar|root|٫|٬|٠||\u{200F}0\u{A0}¤|AED=د.إ.\u{200F};AUD=AU$;EGP=ج.م.\u{200F};GBP=UK£;KWD=د.ك.\u{200F};\
        PHP=PHP;QAR=ر.ق.\u{200F};SAR=ر.س.\u{200F};THB=฿|one=يوم;two=يومان;few=# أيام;many=# يومًا;other=# يوم|\
        one=أسبوع;two=أسبوعان;few=# أسابيع;many=# أسبوعًا;other=# أسبوع|one=شهر;two=شهران;few=# أشهر;\
        many=# شهرًا;other=# شهر|one=سنة;two=سنتان;few=# سنوات;many=# سنة;other=# سنة
        ar_AE|ar|.|,|0|||||||
        ar_EG|ar||||||||||
        ar_SA|ar||||||||||
        bg|root|,|\u{A0}||3,3,2|0\u{A0}¤|AUD=AUD;BRL=BRL;CAD=CAD;CNY=CNY;GBP=GBP;HKD=HKD;ILS=ILS;INR=INR;\
        JPY=JPY;KRW=KRW;MXN=MXN;NZD=NZD;PHP=PHP;TWD=TWD;USD=щ.д.;VND=VND|one=# ден;other=# дни|one=# седмица;\
        other=# седмици|one=# месец;other=# месеца|one=# година;other=# години
        bn|root|||০|3,2,1|0¤|PHP=PHP;THB=฿|one=# দিন;other=# দিন|one=# সপ্তাহ;other=# সপ্তাহ|one=# মাস;\
        other=# মাস|one=# বছর;other=# বছর
        ca|root|,|.|||0\u{A0}¤|AUD=AU$;BRL=BRL;CAD=CAD;CNY=CNY;JPY=¥;MXN=MXN;PHP=PHP;THB=฿;USD=USD|one=# dia;\
        other=# dies|one=# setmana;other=# setmanes|one=# mes;other=# mesos|one=# any;other=# anys
        cs|root|,|\u{A0}|||0\u{A0}¤|AUD=AU$;CZK=Kč;ILS=ILS;INR=INR;PHP=PHP;VND=VND|one=# den;few=# dny;\
        other=# dnů|one=# týden;few=# týdny;other=# týdnů|one=# měsíc;few=# měsíce;other=# měsíců|one=# rok;\
        few=# roky;other=# let
        da|root|,|.|||0\u{A0}¤|AUD=AU$;DKK=kr.;PHP=PHP;THB=฿|one=# dag;other=# dage|one=# uge;other=# uger|\
        one=# måned;other=# måneder|one=# år;other=# år
        de|root|,|.|||0\u{A0}¤|AUD=AU$;JPY=¥;PHP=PHP;THB=฿;USD=$|one=# Tag;other=# Tage|one=# Woche;\
        other=# Wochen|one=# Monat;other=# Monate|one=# Jahr;other=# Jahre
        de_AT|de|||||¤\u{A0}0|||||
        de_CH|de|.|’|||¤\u{A0}0|EUR=EUR||||
        el|root|,|.|||0\u{A0}¤|PHP=PHP;THB=฿;USD=$|one=# ημέρα;other=# ημέρες|one=# εβδομάδα;other=# εβδομάδες|\
        one=# μήνας;other=# μήνες|one=# έτος;other=# έτη
        es|root|,|.||3,3,2|0\u{A0}¤|AUD=AUD;BRL=BRL;CAD=CAD;CNY=CNY;GBP=GBP;HKD=HKD;ILS=ILS;INR=INR;JPY=JPY;\
        KRW=KRW;MXN=MXN;NZD=NZD;PHP=PHP;THB=฿;TWD=TWD|one=# día;other=# días|one=# semana;other=# semanas|\
        one=# mes;other=# meses|one=# año;other=# años
        es_419|es|.|,||3,3,1|¤0|EUR=EUR;THB=THB;USD=USD;VND=VND||||
        es_AR|es_419|,|.|||¤\u{A0}0|USD=US$||||
        es_CL|es_419|,|.||||CLP=$;USD=US$||||
        es_CO|es_419|,|.|||¤\u{A0}0|COP=$;USD=US$||||
        es_MX|es_419||||||MXN=$||||
        es_PE|es_419|||||¤\u{A0}0|PEN=S/||||
        es_US|es_419||||||JPY=¥;USD=$||||
        et|root|,|\u{A0}||3,3,2|0\u{A0}¤|AUD=AU$;JPY=¥;PHP=PHP;THB=฿;USD=$|one=# ööpäev;other=# ööpäeva|\
        one=# nädal;other=# nädalat|one=# kuu;other=# kuud|one=# aasta;other=# aastat
        fa|root|٫|٬|۰||\u{200E}¤0|CAD=$CA;CNY=¥CN;HKD=$HK;JPY=¥;MXN=$MX;NZD=$NZ;PHP=PHP;THB=฿;USD=$|one=# روز;\
        other=# روز|one=# هفته;other=# هفته|one=# ماه;other=# ماه|one=# سال;other=# سال
        fi|root|,|\u{A0}|||0\u{A0}¤|AUD=AUD;BRL=BRL;CAD=CAD;CNY=CNY;HKD=HKD;ILS=ILS;INR=INR;JPY=¥;KRW=KRW;\
        MXN=MXN;NZD=NZD;PHP=PHP;TWD=TWD;USD=$;VND=VND|one=# päivä;other=# päivää|one=# viikko;other=# viikkoa|\
        one=# kuukausi;other=# kuukautta|one=# vuosi;other=# vuotta
        fr|root|,|\u{202F}|||0\u{A0}¤|AUD=$AU;CAD=$CA;CLP=$CL;CNY=CNY;COP=$CO;GBP=£GB;HKD=HKD;JPY=JPY;MXN=$MX;\
        NZD=$NZ;PHP=PHP;SGD=$SG;TWD=TWD;USD=$US|one=#\u{A0}jour;other=#\u{A0}jours|one=#\u{A0}semaine;\
        other=#\u{A0}semaines|one=#\u{A0}mois;other=#\u{A0}mois|one=#\u{A0}an;other=# ans
        fr_BE|fr||||||||||
        fr_CA|fr||\u{A0}||||AUD=$\u{A0}AU;CAD=$;CLP=CLP;CNY=CN¥;COP=COP;GBP=£;HKD=$\u{A0}HK;ILS=ILS;INR=INR;\
        JPY=¥;KRW=KRW;MXN=MXN;NZD=$\u{A0}NZ;SGD=$\u{A0}SG;USD=$\u{A0}US;VND=VND|one=# jour;other=# jours|\
        one=# semaine;other=# semaines|one=# mois;other=# mois|one=# an;other=# ans
        fr_CH|fr|.|||||||||
        gu|root||||3,2,1|¤0|PHP=PHP;THB=฿|one=# દિવસ;other=# દિવસ|one=# અઠવાડિયું;other=# અઠવાડિયા|one=# મહિનો;\
        other=# મહિના|one=# વર્ષ;other=# વર્ષ
        he|root|||||\u{200F}0\u{A0}\u{200F}¤|CNY=\u{200E}CN¥\u{200E};JPY=¥;PHP=PHP;THB=฿;USD=$|one=יום #;\
        two=יומיים;other=# ימים|one=שבוע;two=שבועיים;other=# שבועות|one=חודש;two=חודשיים;other=# חודשים|one=שנה;\
        two=שנתיים;other=# שנים
        hi|root||||3,2,1|¤0|PHP=PHP;THB=฿;USD=$|one=# दिन;other=# दिन|one=# सप्ताह;other=# सप्ताह|one=# महीना;\
        other=# महीने|one=# वर्ष;other=# वर्ष
        hr|root|,|.|||0\u{A0}¤|AUD=AUD;BRL=BRL;CAD=CAD;CNY=CNY;GBP=GBP;HKD=HKD;ILS=ILS;INR=INR;JPY=JPY;KRW=KRW;\
        MXN=MXN;NZD=NZD;PHP=PHP;TWD=TWD;USD=USD;VND=VND|one=# dan;few=# dana;other=# dana|one=# tjedan;\
        few=# tjedna;other=# tjedana|one=# mjesec;few=# mjeseca;other=# mjeseci|one=# godina;few=# godine;\
        other=# godina
        hu|root|,|\u{A0}|||0\u{A0}¤|AUD=AUD;BRL=BRL;CAD=CAD;CNY=CNY;EUR=EUR;GBP=GBP;HKD=HKD;HUF=Ft;ILS=ILS;\
        INR=INR;JPY=¥;KRW=KRW;MXN=MXN;NZD=NZD;PHP=PHP;TWD=TWD;USD=USD;VND=VND|one=# nap;other=# nap|one=# hét;\
        other=# hét|one=# hónap;other=# hónap|one=# év;other=# év
        id|root|,|.|||¤0|AUD=AU$;IDR=Rp;INR=Rs;PHP=PHP;THB=฿|other=# hari|other=# minggu|other=# bulan|\
        other=# tahun
        it|root|,|.|||0\u{A0}¤|BRL=BRL;HKD=HKD;INR=INR;JPY=JPY;KRW=KRW;MXN=MXN;THB=฿;TWD=TWD;USD=USD;VND=VND|\
        one=# giorno;other=# giorni|one=# settimana;other=# settimane|one=# mese;other=# mesi|one=# anno;\
        other=# anni
        it_CH|it|.|’|||¤\u{A0}0|||||
        ja|root|||||¤0|CNY=元;JPY=￥;PHP=PHP;USD=$|other=# 日|other=# 週間|other=# か月|other=# 年
        kk|root|,|\u{A0}|||0\u{A0}¤|KZT=₸;PHP=PHP;RUB=₽;THB=฿;USD=$|one=# күн;other=# күн|one=# апта;\
        other=# апта|one=# ай;other=# ай|one=# жыл;other=# жыл
        kn|root|||||¤0|PHP=PHP;THB=฿;USD=$|one=# ದಿನವು;other=# ದಿನಗಳು|one=# ವಾರವು;other=# ವಾರಗಳು|one=# ತಿಂಗಳು;\
        other=# ತಿಂಗಳು|one=# ವರ್ಷವು;other=# ವರ್ಷಗಳು
        ko|root|||||¤0|AUD=AU$;PHP=PHP|other=#일|other=#주|other=#개월|other=#년
        lt|root|,|\u{A0}|||0\u{A0}¤|AUD=AUD;BRL=BRL;CAD=CAD;CNY=CNY;GBP=GBP;HKD=HKD;ILS=ILS;INR=INR;JPY=JPY;\
        KRW=KRW;MXN=MXN;NZD=NZD;PHP=PHP;TWD=TWD;USD=USD;VND=VND|one=# diena;few=# dienos;other=# dienų|\
        one=# savaitė;few=# savaitės;other=# savaičių|one=# mėnuo;few=# mėnesiai;other=# mėnesių|one=# metai;\
        few=# metai;other=# metų
        lv|root|,|\u{A0}||3,3,2|0\u{A0}¤|AUD=AU$;JPY=¥;PHP=PHP;THB=฿;USD=$|one=# diena;other=# dienas;\
        zero=# dienu|one=# nedēļa;other=# nedēļas;zero=# nedēļu|one=# mēnesis;other=# mēneši;zero=# mēnešu|\
        one=# gads;other=# gadi;zero=# gadu
        ml|root|||||¤0|JPY=¥;PHP=PHP;THB=฿;USD=$|one=# ദിവസം;other=# ദിവസം|one=# ആഴ്ച;other=# ആഴ്ച|one=# മാസം;\
        other=# മാസം|one=# വർഷം;other=# വർഷം
        mr|root|||०||¤0|PHP=PHP;THB=฿;USD=$|one=# दिवस;other=# दिवस|one=# आठवडा;other=# आठवडे|one=# महिना;\
        other=# महिने|one=# वर्ष;other=# वर्षे
        ms|root|||||¤0|CAD=CAD;MXN=MXN;MYR=RM;PHP=PHP;USD=USD|other=# hari|other=# minggu|other=# bulan|\
        other=# tahun
        nb|root|,|\u{A0}||||AUD=AUD;BRL=BRL;CAD=CAD;CNY=CNY;HKD=HKD;ILS=ILS;INR=INR;JPY=JPY;KRW=KRW;MXN=MXN;\
        NOK=kr;NZD=NZD;PHP=PHP;TWD=TWD;USD=USD;VND=VND|one=# døgn;other=# døgn|one=# uke;other=# uker|\
        one=# måned;other=# måneder|one=# år;other=# år
        nl|root|,|.||||AUD=AU$;CAD=C$;PHP=PHP;THB=฿|one=# dag;other=# dagen|one=# week;other=# weken|\
        one=# maand;other=# maanden|one=# jaar;other=# jaar
        nl_BE|nl||||||||||
        or|root|||||¤0|JPY=¥;PHP=PHP;USD=$|one=# ଦିନ;other=# ଦିନ|one=# ସପ୍ତାହ;other=# ସପ୍ତାହ|one=# ମାସ;\
        other=# ମାସ|one=# ବର୍ଷ;other=# ବର୍ଷ
        pa|root||||3,2,1|¤0|PHP=PHP;THB=฿|one=# ਦਿਨ;other=# ਦਿਨ|one=# ਹਫ਼ਤਾ;other=# ਹਫ਼ਤੇ|one=# ਮਹੀਨਾ;\
        other=# ਮਹੀਨੇ|one=# ਸਾਲ;other=# ਸਾਲ
        pl|root|,|\u{A0}||3,3,2|0\u{A0}¤|AUD=AUD;CAD=CAD;CNY=CNY;GBP=GBP;HKD=HKD;ILS=ILS;INR=INR;JPY=JPY;\
        KRW=KRW;MXN=MXN;NZD=NZD;PHP=PHP;PLN=zł;TWD=TWD;USD=USD;VND=VND|one=# doba;few=# doby;many=# dób|\
        one=# tydzień;few=# tygodnie;many=# tygodni|one=# miesiąc;few=# miesiące;many=# miesięcy|one=# rok;\
        few=# lata;many=# lat
        pt|root|,|.||||AUD=AU$;PHP=PHP;THB=฿|one=# dia;other=# dias|one=# semana;other=# semanas|one=# mês;\
        other=# meses|one=# ano;other=# anos
        pt_PT|pt||\u{A0}||3,3,2|0\u{A0}¤|||||
        ro|root|,|.|||0\u{A0}¤|AUD=AUD;BRL=BRL;CAD=CAD;CNY=CNY;EUR=EUR;GBP=GBP;HKD=HKD;ILS=ILS;INR=INR;JPY=JPY;\
        KRW=KRW;MXN=MXN;NZD=NZD;PHP=PHP;TWD=TWD;USD=USD;VND=VND|one=# zi;few=# zile;other=# de zile|\
        one=# săptămână;few=# săptămâni;other=# de săptămâni|one=# lună;few=# luni;other=# de luni|one=# an;\
        few=# ani;other=# de ani
        ru|root|,|\u{A0}|||0\u{A0}¤|JPY=¥;PHP=PHP;RUB=₽;THB=฿;USD=$|one=# день;few=# дня;many=# дней|\
        one=# неделя;few=# недели;many=# недель|one=# месяц;few=# месяца;many=# месяцев|one=# год;few=# года;\
        many=# лет
        sk|root|,|\u{A0}|||0\u{A0}¤|AUD=AUD;BRL=BRL;CAD=CAD;CNY=CNY;GBP=GBP;HKD=HKD;ILS=NIS;INR=INR;JPY=JPY;\
        KRW=KRW;NZD=NZD;PHP=PHP;TWD=TWD;USD=USD;VND=VND|one=# deň;few=# dni;other=# dní|one=# týždeň;\
        few=# týždne;other=# týždňov|one=# mesiac;few=# mesiace;other=# mesiacov|one=# rok;few=# roky;\
        other=# rokov
        sl|root|,|.|||0\u{A0}¤|AUD=AUD;BRL=BRL;CAD=CAD;GBP=GBP;JPY=¥;MXN=MXN;NZD=NZD;PHP=PHP;TWD=TWD;USD=$|\
        one=# dan;two=# dneva;few=# dni;other=# dni|one=# teden;two=# tedna;few=# tedni;other=# tednov|\
        one=# mesec;two=# meseca;few=# meseci;other=# mesecev|one=# leto;two=# leti;few=# let;other=# let
        sr|root|,|.|||0\u{A0}¤|AUD=AUD;JPY=¥;KRW=KRW;NZD=NZD;PHP=PHP;VND=VND|one=# дан;few=# дана;other=# дана|\
        one=# недеља;few=# недеље;other=# недеља|one=# месец;few=# месеца;other=# месеци|one=# година;\
        few=# године;other=# година
        sv|root|,|\u{A0}|||0\u{A0}¤|AUD=AUD;BRL=BR$;CNY=CNY;DKK=Dkr;EGP=EG£;GBP=GBP;HKD=HKD;INR=INR;JPY=JPY;\
        KRW=KRW;NOK=Nkr;NZD=NZD;PHP=PHP;SEK=kr;TWD=TWD;VND=VND|one=# dygn;other=# dygn|one=# vecka;\
        other=# veckor|one=# månad;other=# månader|one=# år;other=# år
        sw|root||||||PHP=PHP;THB=฿;TZS=TSh|one=siku #;other=siku #|one=wiki #;other=wiki #|one=mwezi #;\
        other=miezi #|one=mwaka #;other=miaka #
        ta|root||||3,2,1|¤0|JPY=¥;PHP=PHP;THB=฿;USD=$|one=# நாள்;other=# நாட்கள்|one=# வாரம்;other=# வாரங்கள்|\
        one=# மாதம்;other=# மாதங்கள்|one=# ஆண்டு;other=# ஆண்டுகள்
        te|root||||3,2,1|¤0|PHP=PHP;THB=฿;USD=$|one=# రోజు;other=# రోజులు|one=# వారం;other=# వారాలు|one=# నెల;\
        other=# నెలలు|one=# సంవత్సరం;other=# సంవత్సరాలు
        th|root|||||¤0|AUD=AU$;JPY=¥;PHP=PHP;THB=฿|other=# วัน|other=# สัปดาห์|other=# เดือน|other=# ปี
        tr|root|,|.|||¤0|AUD=AU$;JPY=¥;PHP=PHP;THB=฿;TRY=₺;USD=$|one=# gün;other=# gün|one=# hafta;\
        other=# hafta|one=# ay;other=# ay|one=# yıl;other=# yıl
        uk|root|,|\u{A0}|||0\u{A0}¤|AUD=AUD;BRL=BRL;CAD=CAD;CNY=CNY;EUR=EUR;GBP=GBP;HKD=HKD;ILS=ILS;INR=INR;\
        JPY=¥;KRW=KRW;MXN=MXN;NZD=NZD;PHP=PHP;TWD=TWD;USD=USD;VND=VND|one=# день;few=# дні;many=# днів|\
        one=# тиждень;few=# тижні;many=# тижнів|one=# місяць;few=# місяці;many=# місяців|one=# рік;few=# роки;\
        many=# років
        ur|root|||||¤0|PHP=PHP;PKR=Rs;THB=฿;USD=$|one=# دن;other=# دن|one=# ہفتہ;other=# ہفتے|one=# مہینہ;\
        other=# مہینے|one=# سال;other=# سال
        vi|root|,|.|||0\u{A0}¤|AUD=AU$;JPY=¥;PHP=PHP;THB=฿|other=# ngày|other=# tuần|other=# tháng|other=# năm
        zh|root|||||¤0|AUD=AU$;CNY=¥;KRW=￦;PHP=PHP|other=#天|other=#周|other=#个月|other=#年
        zh_Hant|root|||||¤0|AUD=AU$;JPY=¥;KRW=￦;PHP=PHP;TWD=$|other=# 天|other=# 週|other=# 個月|other=# 年
        zh_Hant_HK|zh_Hant||||||KRW=₩;TWD=NT$|other=# 日|other=# 星期||
        """

    /// The number of decimals of each currency whose prices do not have two decimals.
    static let decimals = """
        ADP=0;AFN=0;ALL=0;BHD=3;BIF=0;BYR=0;CLF=4;CLP=0;DJF=0;ESP=0;GNF=0;IQD=0;IRR=0;ISK=0;ITL=0;JOD=3;JPY=0;\
        KMF=0;KPW=0;KRW=0;KWD=3;LAK=0;LBP=0;LUF=0;LYD=3;MGA=0;MGF=0;MMK=0;MRO=0;OMR=3;PYG=0;RSD=0;RWF=0;SLL=0;\
        SOS=0;STD=0;SYP=0;TMM=0;TND=3;TRL=0;UGX=0;UYI=0;UYW=4;VND=0;VUV=0;XAF=0;XOF=0;XPF=0;YER=0;ZMK=0;ZWD=0
        """
}
