// Made by scripts/make-names.js with @faker-js/faker.

export interface People {
  readonly locale: string;
  readonly first: readonly string[];
  readonly last: readonly string[];
}

const split = (joined: string): readonly string[] => joined.split('|');

export const PEOPLE: readonly People[] = [
  {
    locale: 'en',
    first: split(
      'Sammy|Maxwell|Magdalena|Megan|Patrick|Myra|Sabrina|Colby|Leon|Jaren|Domenick|Joy|Dorothy|Laisha|Dolly|Kevin',
    ),
    last: split(
      'Rice|Schneider|Ondricka|Langworth|Quigley|Koelpin|Lynch|Welch|Hegmann|Oberbrunner|Beahan|Cummerata|Volkman|Carroll|Barton|Larkin',
    ),
  },
  {
    locale: 'de',
    first: split(
      'Tarik|Miguel|Malia|Mayra|Patrice|Mieke|Samantha|Dennis|Marian|Klemens|Franz|Karlotta|Emmi|Leticia|Emilie|Luiz',
    ),
    last: split(
      'Rosksch|Schwalm|Pinnock|Lanig|Reus|Konow|Maczey|Walther|Hoffman|Pfersich|Berger|Dörre|Tuschmo|Cierpinski|Bauschinger|Laurén',
    ),
  },
  {
    locale: 'fr',
    first: split(
      'Thibault|Matthias|Lucille|Maureen|Paul|Mélissa|Romane|Arcade|Lionel|Gislebert|Bon|Esther|Astrée|Guilhemine|Astarté|Joël',
    ),
    last: split(
      'Noel|Pierre|Mercier|Leclercq|Moulin|Joly|Lemoine|Royer|Garcia|Menard|Barre|Charpentier|Rousseau|Breton|Barbier|Perrin',
    ),
  },
  {
    locale: 'es',
    first: split(
      'Sancho|Ramiro|María José|Lilia|Daniel|María Teresa|Ricardo|Alejandro|Mayte|Diana|Timoteo|César|Joaquín|Raúl|Laura|Luis',
    ),
    last: split(
      'Rodríguez Lovato|Corrales Echevarría|Escobar Granados|Caballero Naranjo|Rael Gurule|Rosales Muñoz|Hidalgo Marrero|Prado Núñez|Gastélum Delatorre|Olivera Vera|Ferrer Porras|Cortéz Negrete|Delvalle Cabán|Valdivia Delafuente|Rico Serrano|Trejo Marroquín',
    ),
  },
  {
    locale: 'pt-BR',
    first: split(
      'Théo|Ricardo|Maria Luiza|Lorena|Davi|Marina|Samuel|Antônio|Meire|Esther|Washington|Daniel|João|Salvador|Liz|Matheus',
    ),
    last: split(
      'Santos|Moraes|Oliveira|Martins|Braga|Nogueira|Albuquerque|Franco|Silva|Moreira|Batista|Saraiva|Macedo|Reis|Barros|Pereira',
    ),
  },
  {
    locale: 'pl',
    first: split(
      'Terencjusz|Roman|Michalina|Ksawera|Dariusz|Nina|Sebastian|Aleksy|Oliwia|Eugenia|Wiktor|Cyryl|Kalistrat|Samson|Koralia|Modest',
    ),
    last: split(
      'Sokołowski|Makowski|Owczarek|Kowalik|Dudzik|Dubiel|Sołtys|Napierała|Krzyżanowski|Bartosik|Sowiński|Januszewski|Pakuła|Walczak|Marszałek|Nowaczyk',
    ),
  },
  {
    locale: 'tr',
    first: split(
      'Iyık|Rifat|Pervin|Semra|Bükey|Sevtap|Zerrin|Cihad|Nesim|Kerami|Ercüment|Baytaş|Esmeray|Münevver|Eser|Müren',
    ),
    last: split(
      'Mayhoş|Solmaz|Keçeci|Dağdaş|Körmükçü|Biçer|Elmastaşoğlu|Örge|Babaoğlu|Keseroğlu|Akaydın|Altan|Çakır|Aktay|Akalın|Poyrazoğlu',
    ),
  },
  {
    locale: 'sv',
    first: split(
      'Stefan|Rickard|Maja|Josefin|Edvin|Margareta|Rolf|Ali|Matilda|Ebba|Tommy|David|Kenneth|Robin|Jessica|Mats',
    ),
    last: split(
      'Nyberg|Jönsson|Lundgren|Henriksson|Blom|Björklund Nilsson|Olsson|Löfgren|Mohamed|Håkansson|Lindberg|Viklund|Hansen Mohamed|Engström|Mattsson|Gustafsson',
    ),
  },
  {
    locale: 'cs-CZ',
    first: split(
      'Vilém|Radovan|Natálie|Petula|Silván|Rebeka|Tekla|Dan|Omar|Lothar|Felicián|Konstance|Eugenie|Ludvíka|Ester|Myron',
    ),
    last: split(
      'Sova|Valešová|Raška|Merta|Slanina|Lebeda|Nedbalová|Šilhavá|Klečka|Pšenička|Boudová|Gajdoš|Černíková|Dostálová|Bezděk|Mertová',
    ),
  },
  {
    locale: 'nb-NO',
    first: split(
      'Sindre|Oskar|Mina|Malin|Emil|Natalie|Sebastian|Aksel|Oda|Hedda|Thomas|Elias|Kasper|Sander|Maja|Martin',
    ),
    last: split(
      'Skoglund|Kristoffersen|Myhrer|Huseby|Carlsen|Borge Rasmussen|Smogeli|Nordby|Olstad|Johnsen|Lie|Vedvik|Haugen Olstad|Fossum|Olsen|Hansen',
    ),
  },
  {
    locale: 'vi',
    first: split(
      'Vạn Thông|Thái Tân|Thanh Ngọc|Thu Thuận|Trường Vũ|Thúy Hạnh|Tâm Nguyên|Hiếu Nghĩa|Thanh Tùng|Phi Long|Hồng Việt|Nguyệt Nga|Hồng Thúy|Nhật Lan|Hồng Như|Quốc Trụ',
    ),
    last: split('Vũ|Vương|Tô|Phạm|Tăng|Phan|Trương|Đặng|Mai|Dương|Hồ|Đào|Hà|Bùi|Ngô|Nguyễn'),
  },
  {
    locale: 'ja',
    first: split('陸|祐介|真央|結月|翔平|美優|芽依|博之|海翔|樹|大雅|明美|友美|沙織|浩一|竜也'),
    last: split('米田|渋谷|村井|田辺|志村|柏木|関|小野|浜野|中野|吉田|野田|加藤|中嶋|村山|稲葉'),
  },
  {
    locale: 'ko',
    first: split('하민|주혁|은별|재은|지용|주연|채현|민수|재준|우준|성우|아영|서빈|예슬|새봄|이한'),
    last: split('임|지|위|신|음|성|엄|함|백|원|견|남|피|금|감|제'),
  },
  {
    locale: 'zh-CN',
    first: split('雨泽|沐阳|秀兰|艳|致远|芳|雅婷|国平|梓豪|敬阳|子豪|晓啸|天娇|海燕|国香|梓浩'),
    last: split('薛|邢|胡|温|董|殷|申|高|戴|肖|令狐|吕|韩|刘|于|贺'),
  },
  {
    locale: 'el',
    first: split(
      'Σωτήριος|Στέφανος|Παναγιωτα|Ευαγγελια|Απόστολος|Σταύρος|Αθανάσιος|Παρασκευη|Αννα|Χαράλαμπος|Ηλίας|Νικόλαος|Αικατερινη|Γεωργια|Κώστας|Δημητρα',
    ),
    last: split(
      'Ασπάσιος|Αργυριάδης|Λύκος|Κανακάρης-Ρούφος|Δουρέντης|Ακρίδας|Γεννάδιος|Κολιάτσος|Μιχαηλίδης|Ηλιόπουλος|Καραμανλής|Γερμανού|Αυγερινός|Αναστασιάδης|Μαρκόπουλος|Μπλέτσας',
    ),
  },
  {
    locale: 'ru',
    first: split(
      'Феоктист|Сократ|Нина|Лидия|Виталий|Нонна|Твердислав|Азарий|Олимпиада|Галина|Чеслав|Вениамин|Леонид|Степан|Ксения|Орест',
    ),
    last: split(
      'Самсонова|Лебедева|Нестерова|Козлов|Гаврилова|Воронцов|Селезнев|Молчанов|Константинов|Артемьев|Ефремова|Никитин|Третьяков|Лукина|Мухин|Жукова',
    ),
  },
  {
    locale: 'uk',
    first: split(
      'Тимофій|Руслан|Надія|Ксенія|Братомил|Огняна|Славолюб|Аврелій|Орина|Валерія|Юліан|Борислав|Корнелій|Сергій|Квітка|Мстислав',
    ),
    last: split(
      'Потоцька|Левадовська|Марієвська|Ковальський|Гайова|Василишин|Савицький|Маковецький|Коцюбинський|Іванів|Гриневецька|Милославський|Сідлецький|Лобачевська|Марієвський|Гриневська',
    ),
  },
  {
    locale: 'ar',
    first: split('نافع|مصلح|عنود|ريم|حسان|عوضية|منذر|أنس|براءة|هاني|حافظ|ضياء|مقداد|خلود|فتحي|اروي'),
    last: split(
      'العواني|العلايمي|العنابي|بن عاشور|سويس|المحجوب|زروق|بن عمر|النفطي|بن عبدالله|القلشاني|الدرقاش|عظومة|بوهاها|الع لويني|بوديبة',
    ),
  },
  {
    locale: 'he',
    first: split('שוהם|מתן|נועה|ספיר|עמית|עמליה|רונית|אלימלך|כפיר|יגל|ארי|יפעת|גלית|לימור|גליה|יצחק'),
    last: split('עוגן|צור|מתניה|יהלום|סופר|חזני|ישראל|שמרון|גיל|משעול|אדירי|אשל|שחר|אלרון|אברהמי|יובל'),
  },
  {
    locale: 'hu',
    first: split(
      'Zente|Tamás|Nina|Liliána|Csaba|Noémi|Viktor|András|Panna|Emma|Zétény|Brájen|Laurent|Vencel|Lili|Nolen',
    ),
    last: split(
      'Somogyi|László|Németh|Katona|Csonka|Bálint|Nagy|Király|Balog|Gáspár|Oláh|Sándor|Magyar|Nemes|Bogdán|Székely',
    ),
  },
];

/** For the domains and the plus-tags of made-up addresses. */
export const WORDS: readonly string[] = split(
  'mortise|technologist|tapioca|singing|amnesty|pop|giggle|legend|pepper|corporation|dress|publicity|scenario|step|sandbar|analogy',
);

/** What is ordered. */
export const ITEMS: readonly string[] = split(
  'Elegant Rubber Cheese|Fresh Silk Towels|Luxurious Bronze Shirt|Intelligent Metal Soap|Incredible Granite Salad|Oriental Concrete Ball|Refined Granite Chips|Intelligent Ceramic Chips|Modern Marble Chips|Handcrafted Ceramic Mouse|Ergonomic Marble Shoes|Ergonomic Rubber Fish|Rustic Silk Shirt|Luxurious Metal Pizza|Handmade Granite Keyboard|Bespoke Plastic Pants',
);
